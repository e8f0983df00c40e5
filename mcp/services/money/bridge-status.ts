import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import { WordInput } from './address.ts'
import { requireNamed } from './bridge/bridge.ts'
import { BurnFields } from './bridge/burn-fields.ts'
import { chainNamed, chains } from './bridge/chains.ts'
import { TransferFields } from './bridge/fields.ts'
import { bridge } from './bridge/port.ts'
import { toTransferAnswer } from './bridge/status.ts'
import { transfersIn } from './bridge/transfer.ts'

const chainNames = chains.map(({ name }) => name)

const refuse = (path: string, message: string) =>
  new ToolError('invalid_input', `${path}: ${message}.`, { issues: [{ path, message }] })

export default tool({
  name: 'bridge_status',
  title: 'Follow a bridge transfer',
  description:
    'Tells how far a transfer is, by its id, or any CCTP V2 burn by chain and transaction hash, whoever made it: burned, attested, minted, what delays it, and what arrived. Where it waits to be minted, it brings the simulated call with which anybody can mint it. Free.',
  keywords: ['usdc', 'track', 'stuck', 'progress', 'pending', 'cross'],
  input: z.object({
    id: z
      .string()
      .regex(/^[0-9a-f]{32}$/, 'must be the id of a transfer: 32 hex digits')
      .optional()
      .describe('Id of a transfer, as bridge_transfer answered it'),
    from: z.string().max(20).optional().describe('Chain of a burn, such as base'),
    transaction_hash: WordInput.optional().describe('Transaction of the burn'),
  }),
  output: z.object({
    transfer: TransferFields.nullable().describe('The transfer; null for a burn that was not made here'),
    burns: z.array(BurnFields).describe('Every burn of the transaction; empty before there is one'),
  }),
  needs: ['store', bridge],
  price: free,
  limits: [{ perMinute: 60, per: 'client' }],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  a2a: { group: 'bridge', tags: ['usdc', 'bridge', 'debugging'] },
  rest: { routes: ['GET /v1/bridge/status'] },
  examples: [{ id: '0123456789abcdef0123456789abcdef' }],
  needsSetup: true,
  summary: ({ transfer, burns }) =>
    transfer?.next ?? burns.map(({ amount, state }) => `${amount} USDC: ${state}.`).join(' '),
}).run(async ({ bridge, store, signal }, { id, from, transaction_hash: transactionHash }) => {
  const { readBurns } = await import('./bridge/burns.ts')
  if (id !== undefined) {
    const transfer = await transfersIn(store).get(id)
    if (!transfer)
      throw new ToolError('not_found', 'There is no transfer with this id.', {
        hint: 'The id is that of the receipt. A burn of somebody else is found by from and transaction_hash.',
      })
    const route = requireNamed(transfer.route)
    const burns = transfer.burn
      ? await readBurns(bridge, route.from, transfer.burn as `0x${string}`, signal).catch(() => [])
      : []
    return { transfer: toTransferAnswer(route, transfer, bridge.now()), burns }
  }
  if (transactionHash === undefined)
    throw refuse('id', 'either id, or from and transaction_hash, must be given')
  if (from === undefined || !chainNames.includes(from))
    throw refuse('from', `must be one of ${chainNames.join(', ')}`)
  const burns = await readBurns(bridge, chainNamed(from), transactionHash as `0x${string}`, signal)
  if (burns.length === 0)
    throw new ToolError('not_found', 'This transaction burned nothing by CCTP V2.', {
      hint: 'A burn emits MessageSent of MessageTransmitterV2. Check the hash and the chain.',
    })
  return { transfer: null, burns }
})
