// Pays somebody by the second: PRIVATE_KEY=0x… node examples/pay-session.mjs [base] [where the bounty waits: ledger or onchain]
import { createHash, randomUUID } from 'node:crypto'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'

const base = process.argv[2] ?? process.env.OCTAGENT_URL ?? `http://127.0.0.1:${process.env.PORT ?? 8402}`
const escrow = process.argv[3] ?? 'ledger'
const url = `${base}/tasks/api/v1`

/** A wallet signs once for a key (ERC-8128), and asks with the key from then on. */
const enter = async account => {
  const { host, pathname, protocol } = new URL(`${url}/auth/keys`)
  const digest = `sha-256=:${createHash('sha256').update('{}').digest('base64')}:`
  const created = Math.floor(Date.now() / 1000)
  const covered = '("@scheme" "@authority" "@method" "@path" "@query" "content-digest" "content-type")'
  const input = `${covered};created=${created};expires=${created + 60};nonce="${randomUUID()}";keyid="eip155:8453:${account.address.toLowerCase()}";tag="erc8128"`
  const lines = [
    ['@scheme', protocol.slice(0, -1)],
    ['@authority', host],
    ['@method', 'POST'],
    ['@path', pathname],
    ['@query', '?'],
    ['content-digest', digest],
    ['content-type', 'application/json'],
    ['@signature-params', input],
  ]
  const message = lines.map(([name, value]) => `"${name}": ${value}`).join('\n')
  const signature = Buffer.from((await account.signMessage({ message })).slice(2), 'hex').toString('base64')
  const response = await fetch(`${url}/auth/keys`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'content-digest': digest,
      'signature-input': `request=${input}`,
      signature: `request=:${signature}:`,
    },
    body: '{}',
  })
  const { api_key, detail } = await response.json()
  if (!api_key) throw new Error(detail)
  return async (path, body, send = fetch) => {
    const answer = await send(`${url}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const json = await answer.json()
    if (!answer.ok) throw new Error(JSON.stringify(json))
    return json
  }
}

const payer = privateKeyToAccount(process.env.PRIVATE_KEY)
const other = privateKeyToAccount(generatePrivateKey())
const [publisher, worker] = [await enter(payer), await enter(other)]

// A task that somebody works on; its bounty is paid into escrow by x402 when it is assigned.
const { task_id } = await publisher('/tasks', {
  title: 'Tell me about the town',
  instructions: 'Answer my questions about the town for as long as I pay.',
  category: 'knowledge_access',
  bounty_usd: '0.01',
  escrow,
  deadline_hours: 1,
  evidence_required: ['text_response'],
})
await worker('/workers/register', { kind: 'agent', name: 'Ada' })
await worker(`/tasks/${task_id}/apply`, {})
const x402 = wrapFetchWithPayment(fetch, new x402Client().register('eip155:*', new ExactEvmScheme(payer)))
const executor_id = `eip155:8453:${other.address.toLowerCase()}`
await publisher(`/tasks/${task_id}/assign`, { executor_id }, x402)
await worker(`/tasks/${task_id}/start`, {})

// One cent a second, half a dollar at most: two signatures, and the deposit is in the escrow.
const terms = { rate_usd: '0.01', unit: 'second', cap_usdc: '0.50', network: 'base' }
const quote = await publisher(`/streams/${task_id}/quote`, terms)
const { channel_id, salt, authorization, deposit_typed_data, voucher_typed_data } = quote
const signature = await payer.signTypedData(deposit_typed_data)
const voucher_signature = await payer.signTypedData(voucher_typed_data)
const opened = await publisher(`/streams/${task_id}/open`, {
  ...terms,
  channel_id,
  salt,
  authorization,
  signature,
  voucher_signature,
})
console.log(`opened: ${opened.deposit_usdc} USDC in the escrow, ${opened.price_usd} USD a second`)

// Each voucher says what has been paid in all. None of them goes to the chain.
const session = `/streams/session/${opened.session_id}`
const voucher = async cumulative_amount => ({
  cumulative_amount,
  signature: await payer.signTypedData({
    ...voucher_typed_data,
    message: { channelId: channel_id, cumulativeAmount: cumulative_amount },
  }),
})
for (const paid of ['10500', '21000', '31500']) {
  const { clock, accepted_usdc } = await publisher(`${session}/voucher`, await voucher(paid))
  console.log(`voucher: ${accepted_usdc} USDC promised, the clock is ${clock}`)
}

const closed = await publisher(`${session}/close`, {})
const { state, settled_usdc, refunded_usdc, earned_usd, credited_usd } = closed
console.log({ state, settled_usdc, refunded_usdc, earned_usd, credited_usd })
