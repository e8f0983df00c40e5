import { expect, test } from 'vitest'
import { startApp } from '../../app.ts'
import { vitalik } from '../../internet/evm.ts'
import { minting } from '../../internet/evm-transactions.ts'
import { opened } from '../../opened.ts'

const app = opened(startApp)

type Reply = {
  result?: { parts: { data?: object }[] }
  error?: { data: { code?: string; issues?: object[] }[] }
}

const say = async (text: string) => {
  const message = { kind: 'message', messageId: 'm', role: 'user', parts: [{ kind: 'text', text }] }
  const response = await fetch(`${app.url}/data/a2a`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'message/send', params: { message } }),
  })
  const { result, error } = (await response.json()) as Reply
  return result?.parts.find(({ data }) => data)?.data ?? error?.data.find(({ code }) => code)
}

const usdcOnBase = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'

test.each([
  [`evm-address-intel ${vitalik}`, { type: 'wallet', chain: 'eth', ens: 'vitalik.eth' }],
  [`evm-address-intel vitalik.eth base`, { type: 'wallet', chain: 'base' }],
  [`token-metadata ${usdcOnBase} base`, { symbol: 'USDC', chain: 'base' }],
  [`token-metadata ${usdcOnBase} chain=base`, { symbol: 'USDC', chain: 'base' }],
  [`token-metadata ${usdcOnBase} on base`, { symbol: 'USDC', chain: 'base' }],
  [`token-metadata: ${usdcOnBase}\nBASE`, { symbol: 'USDC', chain: 'base' }],
  [`token-metadata ${usdcOnBase} chain=base fields=name,chain`, { name: 'USD Coin', chain: 'base' }],
  ['gas-tracker base', { chain: 'base', symbol: 'ETH' }],
  ['gas-tracker chain=polygon', { chain: 'polygon', symbol: 'POL' }],
  ['gas-tracker all', { chain: 'all', ok_count: 5 }],
  ['gas-tracker', { chain: 'eth' }],
  [`tx-status ${minting}`, { status: 'success', chain: 'arbitrum' }],
  [`tx-status ${minting} arbitrum`, { status: 'success', chain: 'arbitrum' }],
  [`tx-status ${minting} optimism`, { status: 'not_found', found_on: 'arbitrum' }],
  [`multichain-balance ${vitalik}`, { ok_count: 5 }],
])('the A2A text %j runs its skill for free', async (text, answer) => {
  expect(await say(text)).toMatchObject({ skill: text.split(/[: ]/)[0], ...answer })
})

test.each([
  [`token-metadata ${usdcOnBase} solana`, 'chain'],
  ['token-metadata 0x123', 'address'],
  ['gas-tracker dogecoin', 'chain'],
  [`tx-status ${vitalik}`, 'transaction_hash'],
])('the A2A text %j is refused for its field', async (text, path) => {
  expect(await say(text)).toMatchObject({ code: 'invalid_input', issues: [{ path }] })
})
