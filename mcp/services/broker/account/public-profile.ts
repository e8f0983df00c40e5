import { z } from 'zod'
import type { Call } from '../../../kernel/tool.ts'
import type { Account } from './account.ts'
import { profileSetup } from './profile.ts'
import { Setup } from './setup.ts'

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
