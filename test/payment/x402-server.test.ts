import { expect, test } from 'vitest'
import type { Attempt, Offer } from '../../mcp/payment/method.ts'
import { openX402Server } from '../../mcp/payment/methods/x402-server/method.ts'

const network = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'
const payer = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM'

test('a payer on Solana keeps its spelling: in base58 another case is another address', async () => {
  const method = openX402Server({
    network,
    kind: 'svm-exact',
    title: 'Solana',
    asset: '',
    carrier: {
      verify: async () => ({ isValid: true, payer }),
      settle: async () => ({ success: true, transaction: 'sent', payer }),
    },
    toRefusal: () => 'unreadable',
    proves: false,
  })
  const attempt = { network, data: { transaction: 'AQ==' } } as unknown as Attempt
  expect(await method.verify(attempt, {} as Offer)).toEqual({ ok: true, payer })
  expect(await method.settle(attempt, {} as Offer)).toMatchObject({ state: 'settled', payer })
})
