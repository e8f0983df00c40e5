import { createHash } from 'node:crypto'
import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import {
  accountsIn,
  hasAmpleRoom,
  hashOrigin,
  keyPrefix,
  openAccount,
  profileSetup,
  registrationsIn,
  requireRoom,
  Setup,
} from './account.ts'

/** A repeated registration is told apart by the caller's key, or by what the caller calls it. */
const registrationId = (client: string, key: string): string =>
  createHash('sha256')
    .update(JSON.stringify([client, key]))
    .digest('base64url')

export default tool({
  name: 'register_account',
  title: 'Register an account',
  description:
    'Opens a broker account and returns its API key, once. Needs accepted_terms: true (the Terms are at /terms). The balance starts at 0; an account that never holds a credit ends after 30 days. Free.',
  keywords: ['sign', 'new', 'up', 'join', 'create', 'trading'],
  input: z.object({
    accepted_terms: z.unknown().optional().describe('Must be true: the Terms at /terms are accepted'),
    idempotency_key: z
      .string()
      .regex(/^[\x21-\x7e]{1,255}$/, '1 to 255 visible ASCII characters')
      .optional()
      .describe('The same key registers once; the header Idempotency-Key does the same'),
  }),
  output: z.object({
    account_id: z.string().describe('Id of the account'),
    handle: z.string().describe('Its public name'),
    api_key: z.string().nullable().describe('Shown this once; null when the registration is repeated'),
    key_preview: z.string().describe('First characters of the key'),
    credits: z.number().int().describe('Balance in credits; 0 at first'),
    existing: z.boolean().describe('True when this registration was made before'),
    account_setup_required: Setup,
  }),
  needs: ['store', 'clock', 'keys'],
  price: free,
  secret: true,
  registers: ({ existing }) => !existing,
  limits: [{ perMinute: 10, per: 'client' }],
  // Repeats are its own affair: they answer without the key instead of being refused.
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  a2a: { tags: ['account', 'free'] },
  rest: { routes: ['POST /v1/account/register'], status: 201 },
  examples: [{ accepted_terms: true }],
  summary: ({ handle, existing }) =>
    existing ? `${handle} is registered already.` : `Registered as ${handle}.`,
}).run(async (ctx, { accepted_terms, idempotency_key }) => {
  const { commit, clock, keys, client, idempotencyKey, store } = ctx
  if (accepted_terms !== true)
    throw new ToolError('precondition_required', 'The Terms must be accepted: send accepted_terms: true.', {
      reason: 'terms_required',
      params: { missing: ['accepted_terms'], terms: `${ctx.base}/terms` },
      next: ['register_account'],
      issues: [{ path: 'accepted_terms', message: 'must be true, as a boolean' }],
    })
  const key = idempotency_key ?? idempotencyKey
  const origin = hashOrigin(keys, client)
  const isAmple = await hasAmpleRoom(store, origin)
  return commit(async tx => {
    const id = key === undefined ? undefined : registrationId(client, key)
    const before = id === undefined ? undefined : await registrationsIn(tx).get(id)
    const registeredAccount = before && (await accountsIn(tx).get(before.account))
    const now = clock.now()
    if (!registeredAccount && !isAmple) await requireRoom(tx, origin)
    const { account, api_key, key_preview } = registeredAccount
      ? {
          account: registeredAccount,
          api_key: null,
          key_preview: await keys.preview(tx, { prefix: keyPrefix, holder: registeredAccount.id }),
        }
      : await openAccount(tx, keys, { now, origin, registration: id })
    if (id !== undefined && !registeredAccount) await registrationsIn(tx).put({ id, account: account.id })
    return {
      account_id: account.id,
      handle: account.handle,
      api_key,
      key_preview,
      credits: 0,
      existing: registeredAccount !== undefined,
      account_setup_required: profileSetup(account, ctx),
    }
  })
})
