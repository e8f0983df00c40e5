import { expect, test } from 'vitest'
import { opened } from '../../opened.ts'
import { onAnvil } from '../../payment/evm-chain.ts'
import { shop, signSold, startGas, twoTransfers } from './gas.ts'

const gas = opened(startGas)

onAnvil('gas for the calls of a plain account', () => {
  test('a wallet with 0 ETH runs a batch of two calls: quote, pay, sign, submit', async () => {
    const user = await gas.makeUser()
    const request = { sender: user.address, calls: twoTransfers(gas.usdc) }

    const quote = await gas.post(request)
    expect(quote.status).toBe(402)
    expect(quote.headers.get('payment-required')).toBeTruthy()
    expect(quote.body).toMatchObject({
      code: 'payment_required',
      quote: { chainId: 8453, price: '0.03', delegation: { current: null } },
    })

    const sold = await gas.post(request, user.fetch)
    expect(sold.body).toMatchObject({ state: 'paid', authorization: { chainId: 8453, nonce: 0 } })
    expect(sold.status).toBe(200)
    expect(sold.headers.get('payment-response')).toBeTruthy()
    expect(await gas.balance(user.address)).toBe(20_000_000n - 30_000n)

    const before = await gas.balance(shop)
    const done = await gas.post(await signSold(user.account, sold.body))
    expect(done.body).toMatchObject({ state: 'mined', success: true })
    expect(await gas.balance(shop)).toBe(before + 3_000_000n)
    expect(await gas.reader.getBalance({ address: user.address })).toBe(0n)
    expect(await gas.reader.getCode({ address: user.address })).toMatch(
      /^0xef0100e6cae83bde06e4c305530e199d7217f42808555b$/i,
    )

    const receipt = await gas.reader.getTransactionReceipt({
      hash: done.body.transaction_hash as `0x${string}`,
    })
    // What the sponsor pays back covers the transaction: the wallet that submits never loses.
    expect(BigInt(String(done.body.gas_used))).toBeGreaterThanOrEqual(receipt.gasUsed)
  })
})
