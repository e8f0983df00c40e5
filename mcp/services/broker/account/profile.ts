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
