import { generateKeyPairSync, sign } from 'node:crypto'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { claimText } from '../../mcp/payment/gate/claim.ts'
import { isTextSignedBy as isSignedOnEvm } from '../../mcp/payment/methods/x402-evm/signed-text.ts'
import { hasTextSignature as isSignedOnSolana } from '../../mcp/payment/methods/x402-svm/signed-text.ts'
import { openChain } from '../../mcp/ports/chain/chain.ts'
import { networks } from '../../mcp/ports/chain/networks.ts'
import { base58 } from '../../mcp/ports/solnet/base58.ts'

const text = claimText('ab'.repeat(16))

test('a wallet on an EVM network signs for itself, without a question to the chain', async () => {
  const chain = openChain({ network: networks.base, rpc: 'http://127.0.0.1:9', devnet: true })
  const account = privateKeyToAccount(generatePrivateKey())
  const signature = await account.signMessage({ message: text })
  expect(await isSignedOnEvm(chain, account.address.toLowerCase(), text, signature)).toBe(true)
  expect(await isSignedOnEvm(chain, account.address, text, 'no hex')).toBe(false)
})

test('a wallet on Solana signs for itself, and for no other text', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const address = base58(Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url'))
  const signature = base58(sign(null, Buffer.from(text), privateKey))
  expect(isSignedOnSolana(address, text, signature)).toBe(true)
  expect(isSignedOnSolana(address, `${text}0`, signature)).toBe(false)
  for (const badSignature of ['', '0', signature.slice(1), `${signature}1`])
    expect(isSignedOnSolana(address, text, badSignature)).toBe(false)
})
