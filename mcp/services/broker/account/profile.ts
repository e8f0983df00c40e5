import { z } from 'zod'
import { ToolError } from '../../../kernel/error.ts'
import { callName } from '../../../kernel/service.ts'
import type { Call } from '../../../kernel/tool.ts'
import type { Account } from './account.ts'

const requiredFields = ['contact_name', 'contact_email', 'deal_route'] as const
type RequiredField = (typeof requiredFields)[number]

const steps: Record<RequiredField, string> = {
  contact_name: 'set_contact',
  contact_email: 'set_contact',
  deal_route: 'set_route',
}

/** Lists fields an account lacks before it may open or receive threads, and the tools that mend it. */
const listMissing = (account: Account) => {
  const missing = requiredFields.filter(name => account[name] === null)
  return {
    missing,
    blocked_actions: missing.length > 0 ? ['open_thread', 'receive_thread'] : [],
    next: [...new Set(missing.map(name => steps[name]))],
  }
}

/** The same for an answer: the tools are named as the caller's transport names them. */
export const profileSetup = (account: Account, { service, channel }: Pick<Call, 'service' | 'channel'>) => {
  const { next, ...rest } = listMissing(account)
  return { ...rest, next: next.map(name => callName(service, name, channel)) }
}

const whose = {
  self: 'Your account',
  counterparty: 'The account on the other side',
} as const

/** Throws 428 `profile_incomplete_…` that names what is missing, and on which side. */
export const requireProfile = (account: Account, side: keyof typeof whose): void => {
  const { missing, blocked_actions, next } = listMissing(account)
  if (missing.length === 0) return
  throw new ToolError('precondition_required', `${whose[side]} has no ${missing.join(', ')} yet.`, {
    reason: `profile_incomplete_${side}`,
    params: { side, missing, blocked_actions },
    ...(side === 'self' && { next }),
    hint: side === 'self' ? 'Set it, then try again.' : 'Only its owner can mend that.',
  })
}

/** Fields an account lacks, as its answers tell it. */
export const Setup = z
  .object({
    missing: z.array(z.string()).describe('Fields that are not set yet'),
    blocked_actions: z.array(z.string()).describe('What cannot be done until they are'),
    next: z.array(z.string()).describe('What to call to set them'),
  })
  .describe('What is missing before threads can be opened or received')

const text = (what: string) => z.string().nullable().describe(what)

/** Contact and route of an account, as its owner reads them. */
export const Profile = z.object({
  contact_name: text('Who to speak to'),
  contact_email: text('Address of that contact'),
  contact_url: text('Page of that contact'),
  deal_route: text('Where the other side of a deal calls'),
  route_protocol_binding: text('What answers there: JSONRPC, HTTP+JSON, MCP or webhook-v1'),
  agent_card_url: text('Agent card of the account'),
  account_setup_required: Setup,
})

export const toProfile = (
  account: Account,
  call: Pick<Call, 'service' | 'channel'>,
): z.output<typeof Profile> => ({
  contact_name: account.contact_name,
  contact_email: account.contact_email,
  contact_url: account.contact_url,
  deal_route: account.deal_route,
  route_protocol_binding: account.route_protocol_binding,
  agent_card_url: account.agent_card_url,
  account_setup_required: profileSetup(account, call),
})
