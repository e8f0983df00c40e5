import { type Hex, pad } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { beaconCodeFor, proxyCodeFor, startEthereum } from '../../internet/evm-anvil.ts'
import { onAnvil } from '../../payment/evm-chain.ts'
import { refused, startData } from './run.ts'

const slots = {
  eip1967: '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc',
  'eip1967-beacon': '0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50',
  eip1822: '0xc5f16f0fcc639fa48a6947836d9850f504798523bf8c9a3a87d5876cf622bcf7',
  'oz-legacy': '0x7050c9e0f4ca769c69bd3a8ef740bc37934f8e2c036e5a723fd8ee048ed3f8c3',
} as const

const coin: Hex = '0x5FbDB2315678afecb367f032d93F642f64180aa3'

onAnvil('on a real EVM', () => {
  let data: Awaited<ReturnType<typeof startData>>
  let ethereum: Awaited<ReturnType<typeof startEthereum>>
  beforeAll(async () => {
    data = await startData()
    ethereum = await startEthereum(data.evm)
    Object.assign(data.world.ports, { evm: ethereum.evm })
    await ethereum.placeToken(coin)
  })
  afterAll(async () => {
    await data.stop()
    await ethereum.stop()
  })

  const look = (address: string) => data.ask('evm-address-intel', { address })
  const read = (address: string) => data.ask('token-metadata', { address })

  test('a wallet has its coins and its count', async () => {
    const { account, client } = ethereum
    const [wei, nonce, block] = await Promise.all([
      client.getBalance(account),
      client.getTransactionCount(account),
      client.getBlockNumber({ cacheTime: 0 }),
    ])
    expect(await look(account.address)).toMatchObject({
      address: account.address,
      type: 'wallet',
      balance: { wei: String(wei) },
      nonce,
      block: Number(block),
      ens: null,
    })
    expect(await data.ask('multichain-balance', { address: account.address })).toMatchObject({
      chains: { eth: { wei: String(wei) }, base: { wei: '0' } },
      non_zero: ['eth'],
    })
  })

  test('a token is read as it is', async () => {
    expect(await read(coin)).toMatchObject({
      standard: 'ERC-20',
      name: 'Test Coin',
      symbol: 'USDC',
      decimals: 6,
      total_supply: { raw: '5000000', formatted: '5' },
      is_proxy: false,
      meta: { warnings: [{ code: 'looks_like_another_token' }] },
    })
    expect(await look(coin)).toMatchObject({
      type: 'contract',
      bytecode_size: (ethereum.tokenCode.length - 2) / 2,
      token: { standard: 'ERC-20', symbol: 'USDC' },
    })
  })

  test.each(['eip1967', 'eip1822', 'oz-legacy'] as const)('a token behind a proxy of kind %s', async kind => {
    const address: Hex = `0x${Buffer.from(kind.padEnd(20, '.')).toString('hex')}`
    const value = pad(coin, { size: 32 })
    await ethereum.client.setStorageAt({ address, index: slots[kind], value })
    await ethereum.placeToken(address, { code: proxyCodeFor(slots[kind]), name: `Behind ${kind}` })
    expect(await look(address)).toMatchObject({
      proxy: { kind, implementation: coin },
      token: { decimals: 6 },
    })
    expect(await read(address)).toMatchObject({
      name: `Behind ${kind}`,
      is_proxy: true,
      implementation: coin,
      total_supply: { formatted: '5' },
    })
  })

  test('a proxy with a beacon', async () => {
    const beacon: Hex = `0x${'be'.repeat(20)}`
    const address: Hex = `0x${'ac'.repeat(20)}`
    await ethereum.client.setCode({ address: beacon, bytecode: beaconCodeFor(coin) })
    await ethereum.client.setCode({ address, bytecode: proxyCodeFor(slots['eip1967-beacon']) })
    await ethereum.client.setStorageAt({
      address,
      index: slots['eip1967-beacon'],
      value: pad(beacon, { size: 32 }),
    })
    expect(await look(address)).toMatchObject({ proxy: { kind: 'eip1967-beacon', implementation: coin } })
  })

  test('a clone has a state of its own (EIP-1167)', async () => {
    const address: Hex = `0x${'c1'.repeat(20)}`
    const code: Hex = `0x363d3d373d3d3d363d73${coin.slice(2).toLowerCase()}5af43d82803e903d91602b57fd5bf3`
    await ethereum.placeToken(address, { code, name: 'Clone' })
    expect(await read(address)).toMatchObject({ name: 'Clone', is_proxy: true, implementation: coin })
    expect(await look(address)).toMatchObject({ bytecode_size: 45, proxy: { kind: 'eip1167' } })
  })

  test('a wallet that delegates by a signed transaction (EIP-7702)', async () => {
    const { client, account, mined } = ethereum
    const authorization = await client.signAuthorization({ contractAddress: coin, executor: 'self' })
    const hash = await mined(
      await client.sendTransaction({
        to: account.address,
        authorizationList: [authorization],
        gas: 200_000n,
      }),
    )
    expect(await look(account.address.toLowerCase())).toMatchObject({
      type: 'delegated-wallet',
      is_contract: false,
      delegated_to: coin,
      bytecode_size: 23,
    })
    expect(await refused(read(account.address))).toMatchObject({ code: 'not_found' })
    expect(await data.ask('tx-status', { transaction_hash: hash })).toMatchObject({
      type: '0x4',
      type_name: 'sets the code of wallets (EIP-7702)',
    })
  })

  test.each<[string, Hex]>([
    ['jumps nowhere', '0x6000565b'],
    ['has no more stack', '0x50'],
    ['runs an invalid opcode', '0xfe'],
    ['never ends', '0x5b600056'],
    ['answers with a megabyte', '0x621000006000f3'],
  ])('a contract that %s is a contract all the same', async (what, bytecode) => {
    const address: Hex = `0x${Buffer.from(what.padEnd(20, '.').slice(0, 20)).toString('hex')}`
    await ethereum.client.setCode({ address, bytecode })
    expect(await look(address)).toMatchObject({ type: 'contract', token: null })
    expect(await read(address)).toMatchObject({ standard: null, name: null })
  })

  test('gas prices are those of the node', async () => {
    const { client } = ethereum
    const [gasPrice, block] = await Promise.all([client.getGasPrice(), client.getBlock()])
    expect(await data.ask('gas-tracker', { chain: 'eth' })).toMatchObject({
      block: Number(block.number),
      wei: { gas_price: String(gasPrice), base_fee: String(block.baseFeePerGas) },
      priority_fee_gwei: { standard: expect.any(Number) },
      timestamp: new Date(Number(block.timestamp) * 1000).toISOString(),
    })
  })
})
