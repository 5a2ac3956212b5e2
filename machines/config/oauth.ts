import { z } from 'zod';
import { isTemplate } from './placeholders.ts';

const filled = z.string().min(1);
const metadataUrl = filled.refine(
  (text) => isTemplate(text) || /^https:\/\/[^/]+\/.+/.test(text),
  'expected an https:// URL with a path',
);

/**
 * How a person, or this host itself, logs in to a remote server (docs/login.md). Everything is optional: without
 * `clientId` we register ourselves where the authorization server lets us. Texts may be placeholders.
 */
export const oauthSchema = z
  .strictObject({
    /** `authorization_code`: a person agrees in a browser. `client_credentials`: nobody is asked. */
    grant: z.enum(['authorization_code', 'client_credentials']).optional(),
    /** What the authorization server knows us by. */
    clientId: filled.optional(),
    clientSecret: filled.optional(),
    /** Where our client id metadata document is published; used where the authorization server reads such documents. */
    clientMetadataUrl: metadataUrl.optional(),
    /** Asked for in the place of what the server names. */
    scopes: z.array(filled).optional(),
    /** A PEM: with `client_credentials` it signs who we are (JWT), in the place of a secret. */
    privateKey: filled.optional(),
    /** Of that JWT. Default `RS256`. */
    signingAlgorithm: filled.optional(),
  })
  .superRefine((oauth, context) => {
    const { grant, clientId, clientSecret, privateKey } = oauth;
    const wrong = (path: string, message: string): void =>
      context.addIssue({ code: 'custom', path: [path], message });
    if (clientSecret !== undefined && clientId === undefined)
      wrong('clientSecret', 'needs a clientId beside it');
    if (privateKey !== undefined && grant !== 'client_credentials')
      wrong('privateKey', 'needs grant: client_credentials');
    if (grant === 'client_credentials' && clientId === undefined)
      wrong('clientId', 'is missing: client_credentials needs one');
    if (grant === 'client_credentials' && clientSecret === undefined && privateKey === undefined)
      wrong('clientSecret', 'is missing: client_credentials needs it, or a privateKey');
  });
export type OAuth = Readonly<z.output<typeof oauthSchema>>;
