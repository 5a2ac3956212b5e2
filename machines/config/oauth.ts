import { z } from 'zod';
import { isTemplate } from './placeholders.ts';

const filled = z.string().min(1);
const metadataUrl = filled.refine(
  (text) => isTemplate(text) || /^https:\/\/[^/]+\/.+/.test(text),
  'expected an https:// URL with a path',
);
/** Secrets go there: TLS, or this machine. */
const secureUrl = filled.refine(
  (text) =>
    isTemplate(text) ||
    /^(https:\/\/[^\s/?#@]+|http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?)(\/[^\s#]*)?$/i.test(text),
  'expected an https:// URL',
);

/**
 * How a person, or this host itself, logs in to a remote server (docs/login.md). Everything is optional: without
 * `clientId` we register ourselves where the authorization server lets us. Texts may be placeholders.
 */
export const oauthSchema = z
  .strictObject({
    /**
     * `authorization_code`: a person agrees in a browser. `client_credentials`: nobody is asked. `jwt_bearer`: nobody is
     * asked, because somebody whom the authorization server trusts has signed who we are.
     */
    grant: z.enum(['authorization_code', 'client_credentials', 'jwt_bearer']).optional(),
    /** The only authorization server that this login may go to, as its metadata name it. */
    issuer: filled.optional(),
    /** What the authorization server knows us by. */
    clientId: filled.optional(),
    clientSecret: filled.optional(),
    /** Where our client id metadata document is published; used where the authorization server reads such documents. */
    clientMetadataUrl: metadataUrl.optional(),
    /** Asked for in the place of what the server names. */
    scopes: z.array(filled).optional(),
    /** A PEM: where nobody is asked it signs who we are (JWT), in the place of a secret. */
    privateKey: filled.optional(),
    /** Of that JWT. Default `RS256`. */
    signingAlgorithm: filled.optional(),
    /** With `jwt_bearer`: the JWT. Without it and a file the host gives one. */
    assertion: filled.optional(),
    /** The file with that JWT, read again for each token. */
    assertionFile: filled.optional(),
    /** The assertion is an ID token; an identity provider changes it there for a grant for this server. */
    idpTokenEndpoint: secureUrl.optional(),
    /** What the identity provider knows us by. */
    idpClientId: filled.optional(),
    idpClientSecret: filled.optional(),
  })
  .superRefine((oauth, context) => {
    const wrong = (path: string, message: string): void =>
      context.addIssue({ code: 'custom', path: [path], message });
    const { grant, clientSecret, privateKey } = oauth;
    for (const [key, other] of pairs)
      if (oauth[key] !== undefined && oauth[other] === undefined) wrong(key, `needs ${other} beside it`);
    for (const key of ofAssertions)
      if (oauth[key] !== undefined && grant !== 'jwt_bearer') wrong(key, 'needs grant: jwt_bearer');
    if (oauth.assertion !== undefined && oauth.assertionFile !== undefined)
      wrong('assertionFile', 'stands beside assertion: keep one of them');
    if (privateKey !== undefined && grant !== 'client_credentials' && grant !== 'jwt_bearer')
      wrong('privateKey', 'needs grant: client_credentials or jwt_bearer');
    if (grant === 'client_credentials' && oauth.clientId === undefined)
      wrong('clientId', 'is missing: client_credentials needs one');
    if (grant === 'client_credentials' && clientSecret === undefined && privateKey === undefined)
      wrong('clientSecret', 'is missing: client_credentials needs it, or a privateKey');
  });
export type OAuth = Readonly<z.output<typeof oauthSchema>>;

const pairs = [
  ['clientSecret', 'clientId'],
  ['privateKey', 'clientId'],
  ['idpClientSecret', 'idpClientId'],
  ['idpClientId', 'idpTokenEndpoint'],
  ['idpTokenEndpoint', 'idpClientId'],
] as const;
const ofAssertions = ['assertion', 'assertionFile', 'idpTokenEndpoint'] as const;

/** What of a login nobody may see. */
export const secretsOfLogin = ['clientSecret', 'privateKey', 'assertion', 'idpClientSecret'] as const;
