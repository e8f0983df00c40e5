import type { Candidate } from '../candidate/candidate.ts'
import type { Member } from './member.ts'

/** A member in the shape of all candidates; what it declares is its own word. */
export const asCandidate = (member: Member, base: string): Candidate => ({
  identifier: member.id,
  source: 'members',
  name: member.name,
  external_id: member.external_id,
  description: null,
  agent_card_url: member.agent_card_url,
  interaction_url: null,
  protocol: null,
  protocol_version: null,
  capabilities: member.capabilities,
  membership: true,
  state: 'active',
  pay_to: null,
  price: null,
  terms_url: null,
  provenance: { url: `${base}/agents`, observed_at: member.joined_at, digest: null },
})
