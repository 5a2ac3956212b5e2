/** Names under which machines ask for the files of a host. */
export const blobsPort = 'blobs';
export const landingPort = 'landing';
export const skillsPort = 'skillFolders';
