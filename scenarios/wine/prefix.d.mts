export const cache: string;
export const prefix: string;
export const tree: string;
export const node: string;
export const onZ: (path: string) => string;
export const env: NodeJS.ProcessEnv;
export const published: Readonly<Record<'everything' | 'filesystem' | 'memory' | 'time' | 'fetch', string>>;
