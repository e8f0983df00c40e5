import { settings } from '../kernel/setting.ts'
import { absoluteUrl, list } from '../lib/setting-texts.ts'

const operators = list.transform((names, context) =>
  names.map(name => {
    const operator = name.toLowerCase()
    if (!/^(acct_[0-9a-f]{24}|(eip155:\d{1,20}:)?0x[0-9a-f]{40})$/.test(operator))
      context.addIssue({
        code: 'custom',
        message: `"${name}" is neither the id of an account nor a wallet (0x…, or eip155:chain:0x… of a smart account)`,
      })
    return operator
  }),
)

/** How people sign in, where that is not by the authorization server of the installation itself, and who of them operates it. */
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
  operators: {
    variable: 'OCTAGENT_OPERATORS',
    schema: operators,
    description:
      'Who sees and uses the page of the operator at /console: ids of accounts (on /auth/account), or wallets that sign in to them, between commas. Default: nobody, and there is no such page.',
    example: 'acct_3f2a9c0d1e4b5a6978c0d1e2',
  },
})
