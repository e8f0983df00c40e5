import { settings } from '../kernel/setting.ts'
import { absoluteUrl, list } from '../lib/setting-texts.ts'

/** How people sign in, where that is not by the authorization server of the installation itself. */
export const accountSettings = settings({
  oidcIssuer: {
    variable: 'OIDC_ISSUER',
    schema: absoluteUrl,
    description:
      'Authorization server whose access tokens (signed JWTs) count here, as it names itself. Without it, the one at {PUBLIC_URL}/auth.',
    example: 'https://login.example.org/realms/agents',
  },
  oidcAudience: {
    variable: 'OIDC_AUDIENCE',
    schema: list,
    description:
      'What tokens of OIDC_ISSUER may be made for, besides the address of the MCP endpoint that they come to.',
    example: 'octagent',
  },
  oidcScope: {
    variable: 'OIDC_SCOPE',
    schema: list,
    description: 'Scopes that clients are told to ask OIDC_ISSUER for.',
    example: 'openid,profile',
  },
})
