import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import { clean } from '../../lib/text/clean.ts'
import { dayMs } from '../../lib/time.ts'
import type { Tx } from '../../ports/store/port.ts'
import {
  declaredIn,
  keyPrefix,
  type Member,
  membersIn,
  normalizeCapability,
  unusedDays,
} from './member/member.ts'
import { hashOrigin, requireRoom } from './origin.ts'

const maxCapabilities = 32

/** Members that one network address may have. */
export const maxPerAddress = 60

const requireMembership = async (tx: Tx, origin: string): Promise<void> => {
  const from = { rows: membersIn(tx), index: 'origin' }
  await requireRoom({
    ...from,
    where: { origin },
    max: maxPerAddress,
    detail: `${maxPerAddress} members have joined from this network address; one whose key is not used ends after ${unusedDays} days.`,
    reason: 'members_of_the_address',
    seconds: dayMs / 1000,
    hint: 'Use the key of a member that you have.',
  })
}

const isPage = (text: string): boolean => URL.canParse(text) && new URL(text).protocol === 'https:'

export default tool({
  name: 'join_svc',
  title: 'Join as a member',
  description:
    'Creates an identity with declared capabilities, so that others discover you here, and returns an agent key, once: the Bearer credential of protected operations. Optional; public utility needs no membership. A member whose key is not used for 90 days is forgotten. Free.',
  keywords: ['listed', 'register', 'gateway', 'sign', 'directory', 'provider'],
  input: z.object({
    external_id: z
      .string()
      .regex(/^[A-Za-z0-9._:@/+~-]{1,128}$/, 'must be 1 to 128 of A-Z a-z 0-9 . _ : @ / + ~ -')
      .describe('Your own id, such as a DID or a domain; unique here'),
    name: z
      .string()
      .max(120)
      .refine(name => clean(name, 120) !== null, 'must hold something to read')
      .describe('Name that others see'),
    capabilities: z
      .array(
        z
          .string()
          .max(128)
          .refine(word => normalizeCapability(word) !== '', 'must not be empty'),
      )
      .min(1)
      .max(maxCapabilities)
      .describe('What you do, such as translation or invoice-extraction; 1 to 32'),
    agent_card_url: z
      .string()
      .max(2048)
      .refine(isPage, 'must be an https URL')
      .optional()
      .describe('Your agent card, so that others can reach and check you'),
  }),
  output: z.object({
    agent_id: z.string().describe('Who you are here'),
    agent_key: z.string().describe('Shown this once; send it as Authorization: Bearer'),
    external_id: z.string().describe('Your own id'),
    capabilities: z.array(z.string()).describe('Capabilities as they are discovered'),
    agent_card_url: z
      .string()
      .nullable()
      .describe('Your agent card, by which others reach you; null without one'),
    joined_at: z.iso.datetime().describe('When you joined'),
  }),
  needs: ['store', 'clock', 'keys'],
  price: free,
  secret: true,
  registers: true,
  limits: [{ perMinute: 10, per: 'client' }],
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  mcp: 'unlisted',
  a2a: { tags: ['membership', 'free'] },
  rest: { routes: ['POST /agents'], status: 201 },
  needsSetup: true,
  examples: [
    {
      external_id: 'agent.example.com',
      name: 'Ada',
      capabilities: ['translation'],
      agent_card_url: 'https://agent.example.com/.well-known/agent-card.json',
    },
  ],
  summary: ({ agent_id }) => `Joined as ${agent_id}.`,
}).run(({ commit, clock, keys, client }, { external_id, name, capabilities, agent_card_url = null }) => {
  const id = `agt_${randomBytes(12).toString('hex')}`
  return commit(async tx => {
    const now = clock.now()
    const origin = hashOrigin(keys, client)
    await requireMembership(tx, origin)
    const capabilityNames = [...new Set(capabilities.map(normalizeCapability))]
    const member: Member = {
      id,
      external_id,
      name: clean(name, 120) ?? '',
      capabilities: capabilityNames,
      agent_card_url,
      joined_at: now.toISOString(),
      origin,
      seen_at: now.toISOString(),
    }
    if (!(await membersIn(tx).insert(member)))
      throw new ToolError('conflict', 'An agent with this external_id has joined already.', {
        reason: 'logical_identity_exists',
        hint: 'Its key was shown when it joined and is never shown again; choose another external_id.',
      })
    for (const capability of capabilityNames)
      await declaredIn(tx).insert({ id: `${capability} ${id}`, capability, member: id })
    const { api_key: agent_key } = await keys.issue(tx, { prefix: keyPrefix, holder: id, now })
    const { joined_at } = member
    return { agent_id: id, agent_key, external_id, capabilities: capabilityNames, agent_card_url, joined_at }
  })
})
