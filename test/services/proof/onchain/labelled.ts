import type { JsonRecord } from '../../../../mcp/lib/json.ts'
import { encode, maxUint256, permit2Domain, who } from '../../../../mcp/services/proof/onchain/examples.ts'

/** An action, and whether it must not simply be approved. */
export type LabelledAction = readonly [isBad: boolean, what: string, action: JsonRecord]

const me = '0x7f3a0b4c8e6d2915a3b7c1d8e9f04526ab13cd79'
const alice = '0x51c2b8e47a90f3d6e8124b7c65a9d03f1e2b84c6'
const bob = '0x9e07d14bf62a3c58907b1e4d2f6a85c39bd04f17'
const mallory = '0xc0de5a17b3e94f2086d7a1c5b8e3f4902d6b7a18'
const usdc = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'
const weth = '0x4200000000000000000000000000000000000006'
const dai = '0x6b175474e89094c44da98b954eedeac495271d0f'
const pepe = '0x6982508145454ce325ddbe47a25d4ec3d2311933'
const nft = '0xbc4ca0eda7647a8ab7c2061c2e118a18a936f13d'
const uni2 = '0x7a250d5630b4cf539739df2c5dacb4c659f2488d'
const uni3 = '0xe592427a0aece92de3edee1f18e0157c05861564'
const router02 = '0x68b3465833fb72a70ecdf485e0e4c7bd8665fc45'
const universal = '0x66a9893cc07d91d95644aedd05d03f95e1dba8af'
const aave = '0x87870bca3f3fd6335c3f4ce8392d69350b4fa4e2'
const multicall3 = '0xca11bde05977b3631167028862be2a173976ca11'
const seaport = '0x0000000000000068F116a894984e2DB1123eB395'
const conduit = '0x1e0049783f008a0085193e00003d00cd54003c71'
const safe = '0x2d94cfa8b3e165079c8d4a7f3b6e1c5298d07af4'
const t = 1_790_000_000

const tx = (
  to: string,
  signature: string,
  args: readonly unknown[] = [],
  more: JsonRecord = {},
): JsonRecord => {
  const { value, intent, chain_id = 8453, ...fields } = more
  return {
    from: me,
    chain_id,
    transaction: {
      to,
      data: signature === '' ? '0x' : encode(signature, args),
      value: String(value ?? 0),
      ...fields,
    },
    ...(intent !== undefined && { intent }),
  }
}
const coins = (to: string, value: string, more: JsonRecord = {}) => tx(to, '', [], { value, ...more })
const sign = (
  primaryType: string,
  message: JsonRecord,
  domain: JsonRecord,
  more: JsonRecord = {},
): JsonRecord => ({
  from: me,
  typed_data: { domain, types: {}, primaryType, message },
  ...more,
})
const usdcDomain = { name: 'USD Coin', version: '2', chainId: 8453, verifyingContract: usdc }
const v2 = 'swapExactTokensForTokens(uint256,uint256,address[],address,uint256)'
const v2coins = 'swapExactETHForTokens(uint256,address[],address,uint256)'
const single =
  'exactInputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 deadline, uint256 amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96) params)'
const single02 =
  'exactInputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96) params)'
const swap3 = (amountOutMinimum: bigint, recipient = me, deadline = t + 300) =>
  tx(uni3, single, [
    {
      tokenIn: usdc,
      tokenOut: weth,
      fee: 500,
      recipient,
      deadline,
      amountIn: 5_000_000_000n,
      amountOutMinimum,
      sqrtPriceLimitX96: 0n,
    },
  ])
const inner02 = (amountOutMinimum: bigint, recipient: string) =>
  encode(single02, [
    {
      tokenIn: usdc,
      tokenOut: weth,
      fee: 500,
      recipient,
      amountIn: 5_000_000_000n,
      amountOutMinimum,
      sqrtPriceLimitX96: 0n,
    },
  ])
const execute = (to: string, value: bigint, data: string): JsonRecord => ({
  chain_id: 8453,
  user_operation: {
    sender: me,
    nonce: '0x1',
    callData: encode('execute(address,uint256,bytes)', [to, value, data]),
    callGasLimit: '200000',
    maxFeePerGas: '1000000000',
    entryPoint: '0x4337084d9e255ff0702461cf8895ce9e3b5ff108',
  },
})
const order = (
  offer: readonly JsonRecord[],
  consideration: readonly JsonRecord[],
  offerer = me,
): JsonRecord =>
  sign(
    'OrderComponents',
    {
      offerer,
      zone: who.zero,
      offer,
      consideration,
      orderType: 0,
      startTime: t,
      endTime: t + 86_400,
      salt: '1',
      counter: 0,
    },
    { name: 'Seaport', version: '1.6', chainId: 1, verifyingContract: seaport },
  )
const ape = { itemType: 2, token: nft, identifierOrCriteria: '77', startAmount: '1', endAmount: '1' }
const eth = (recipient: string, amount: string) => ({
  itemType: 0,
  token: who.zero,
  identifierOrCriteria: '0',
  startAmount: amount,
  endAmount: amount,
  recipient,
})
const safeTx = (to: string, data: string, operation: number): JsonRecord =>
  sign(
    'SafeTx',
    {
      to,
      value: '0',
      data,
      operation,
      safeTxGas: 0,
      baseGas: 0,
      gasPrice: 0,
      gasToken: who.zero,
      refundReceiver: who.zero,
      nonce: 4,
    },
    { chainId: 8453, verifyingContract: safe },
  )
const role = `0x${'65'.repeat(32)}`

/** Actions of every kind; half of them are harmless and look alike. Judged with a clock at 1,790,000,000. */
export const labelledActions: readonly LabelledAction[] = [
  [
    true,
    'unlimited approve to an unknown contract',
    tx(usdc, 'approve(address,uint256)', [mallory, maxUint256]),
  ],
  [true, 'half of unlimited', tx(usdc, 'approve(address,uint256)', [mallory, maxUint256 / 2n])],
  [true, 'unlimited approve to a router', tx(usdc, 'approve(address,uint256)', [uni2, maxUint256])],
  [
    true,
    'increaseAllowance without limit',
    tx(usdc, 'increaseAllowance(address,uint256)', [mallory, maxUint256]),
  ],
  [
    true,
    'approve 50 times the need',
    tx(usdc, 'approve(address,uint256)', [bob, 5_000_000n], { intent: { amount: '100000' } }),
  ],
  [true, 'approve the token itself', tx(usdc, 'approve(address,uint256)', [usdc, 100n])],
  [
    true,
    'whole collection to a stranger',
    tx(nft, 'setApprovalForAll(address,bool)', [mallory, true], { chain_id: 1 }),
  ],
  [
    true,
    'whole collection to a marketplace',
    tx(nft, 'setApprovalForAll(address,bool)', [conduit, true], { chain_id: 1 }),
  ],
  [
    true,
    'Permit2 allowance for years',
    tx(who.permit2, 'approve(address,address,uint160,uint48)', [usdc, mallory, 5_000_000n, t + 90_000_000]),
  ],
  [
    true,
    'Permit2 allowance without limit',
    tx(who.permit2, 'approve(address,address,uint160,uint48)', [usdc, mallory, 2n ** 160n - 1n, t + 600]),
  ],
  [
    true,
    'permit in calldata without limit',
    tx(usdc, 'permit(address,address,uint256,uint256,uint8,bytes32,bytes32)', [
      me,
      mallory,
      maxUint256,
      BigInt(t + 600),
      27,
      role,
      role,
    ]),
  ],
  [
    true,
    'a permit signature for a stranger',
    sign(
      'Permit',
      { owner: me, spender: mallory, value: '2500000000', nonce: 3, deadline: t + 1200 },
      usdcDomain,
    ),
  ],
  [
    true,
    'an unlimited permit signature',
    sign(
      'Permit',
      { owner: me, spender: mallory, value: String(maxUint256), nonce: 3, deadline: String(maxUint256) },
      usdcDomain,
    ),
  ],
  [
    true,
    'a DAI permit',
    sign(
      'Permit',
      { holder: me, spender: mallory, nonce: 0, expiry: 0, allowed: true },
      { name: 'Dai Stablecoin', version: '1', chainId: 1, verifyingContract: dai },
    ),
  ],
  [
    true,
    'PermitSingle',
    sign(
      'PermitSingle',
      {
        details: { token: usdc, amount: String(2n ** 160n - 1n), expiration: t + 2_592_000, nonce: 0 },
        spender: mallory,
        sigDeadline: t + 1800,
      },
      permit2Domain,
    ),
  ],
  [
    true,
    'PermitBatch',
    sign(
      'PermitBatch',
      {
        details: [usdc, weth].map(token => ({
          token,
          amount: String(2n ** 160n - 1n),
          expiration: t + 600,
          nonce: 0,
        })),
        spender: mallory,
        sigDeadline: t + 1800,
      },
      permit2Domain,
    ),
  ],
  [
    true,
    'PermitTransferFrom',
    sign(
      'PermitTransferFrom',
      { permitted: { token: usdc, amount: '9000000000' }, spender: mallory, nonce: '12', deadline: t + 1800 },
      permit2Domain,
    ),
  ],
  [
    true,
    'PermitBatchTransferFrom',
    sign(
      'PermitBatchTransferFrom',
      {
        permitted: [
          { token: usdc, amount: '9' },
          { token: weth, amount: '9' },
        ],
        spender: mallory,
        nonce: '12',
        deadline: t + 1800,
      },
      permit2Domain,
    ),
  ],
  [
    true,
    'Permit2 types for another contract',
    sign(
      'PermitSingle',
      {
        details: { token: usdc, amount: '5', expiration: t + 600, nonce: 0 },
        spender: universal,
        sigDeadline: t + 600,
      },
      { ...permit2Domain, verifyingContract: mallory },
    ),
  ],
  [true, 'a sale for nothing', order([ape], [eth(mallory, '1')])],
  [true, 'a sale for one wei', order([ape], [eth(me, '1')])],
  [true, 'a sale that pays somebody else', order([ape], [eth(mallory, '30000000000000000000')])],
  [
    true,
    'a sale of which most goes elsewhere',
    order([ape], [eth(me, '1000000000000000000'), eth(mallory, '29000000000000000000')]),
  ],
  [
    true,
    'approve hidden in multicall',
    tx(router02, 'multicall(bytes[])', [
      [encode('refundETH()'), encode('approve(address,uint256)', [mallory, maxUint256])],
    ]),
  ],
  [
    true,
    'approve hidden in aggregate3',
    tx(multicall3, 'aggregate3((address target, bool allowFailure, bytes callData)[])', [
      [
        {
          target: usdc,
          allowFailure: true,
          callData: encode('approve(address,uint256)', [mallory, maxUint256]),
        },
      ],
    ]),
  ],
  [
    true,
    'ownership hidden in executeBatch',
    {
      chain_id: 8453,
      user_operation: {
        sender: me,
        callData: encode('executeBatch((address target, uint256 value, bytes data)[])', [
          [
            { target: usdc, value: 0n, data: encode('transfer(address,uint256)', [alice, 5n]) },
            { target: safe, value: 0n, data: encode('transferOwnership(address)', [mallory]) },
          ],
        ]),
      },
    },
  ],
  [
    true,
    'a user operation that approves without limit',
    execute(usdc, 0n, encode('approve(address,uint256)', [mallory, maxUint256])),
  ],
  [
    true,
    'a poisoned recipient',
    tx(usdc, 'transfer(address,uint256)', ['0x51c2b8e4000000000000000000000000000b84c6', 5n], {
      intent: { contacts: [alice, bob] },
    }),
  ],
  [
    true,
    'a poisoned recipient of coins',
    coins('0x51c2b0b7aa3333333333333333333333332b84c6', '1000', { intent: { contacts: [alice] } }),
  ],
  [true, 'another recipient than meant', coins(bob, '1000', { intent: { recipient: alice } })],
  [
    true,
    'ten times the amount',
    tx(usdc, 'transfer(address,uint256)', [alice, 10_000_000n], {
      intent: { recipient: alice, amount: '1000000' },
    }),
  ],
  [
    true,
    'more coins than meant',
    coins(alice, '1000000000000000000', { intent: { max_value: '100000000000000000' } }),
  ],
  [true, 'a transfer of nothing', tx(usdc, 'transferFrom(address,address,uint256)', [me, mallory, 0n])],
  [true, 'USDC to the contract of USDC', tx(usdc, 'transfer(address,uint256)', [usdc, 5_000_000n])],
  [true, 'coins to the contract of USDC', coins(usdc, '5000')],
  [true, 'to the zero address', tx(usdc, 'transfer(address,uint256)', [who.zero, 5n])],
  [true, 'to the dead address', coins('0x000000000000000000000000000000000000dEaD', '5000')],
  [true, 'a mistyped checksum', coins('0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96046', '5000')],
  [true, 'the wrong chain', coins(alice, '5000', { chain_id: 1, intent: { chain_id: 8453 } })],
  [
    true,
    'a signature for another chain',
    sign(
      'Permit',
      { owner: me, spender: uni2, value: '5', nonce: 0, deadline: t + 60 },
      { ...usdcDomain, chainId: 1 },
      { chain_id: 8453 },
    ),
  ],
  [true, 'a swap without minimum', swap3(0n)],
  [true, 'a swap with a minimum of one', swap3(1n)],
  [true, 'a swap to a stranger', swap3(1_900_000_000_000_000_000n, mallory)],
  [true, 'a swap for ever', swap3(1_900_000_000_000_000_000n, me, 2 ** 40)],
  [
    true,
    'a swap of coins without minimum',
    tx(uni2, v2coins, [0n, [weth, pepe], me, BigInt(t + 60)], { value: '1000000000000000000' }),
  ],
  [
    true,
    '15 % of slippage',
    tx(uni2, v2, [10n ** 9n, 85_000n, [usdc, weth], me, BigInt(t + 60)], {
      intent: { amount_out: '100000' },
    }),
  ],
  [
    true,
    '40 % of slippage',
    tx(uni2, v2, [10n ** 9n, 60_000n, [usdc, weth], me, BigInt(t + 60)], {
      intent: { amount_out: '100000' },
    }),
  ],
  [
    true,
    'any price',
    tx(uni2, 'swapTokensForExactTokens(uint256,uint256,address[],address,uint256)', [
      10n,
      maxUint256,
      [usdc, weth],
      me,
      BigInt(t + 60),
    ]),
  ],
  [
    true,
    'a multicall swap without minimum',
    tx(router02, 'multicall(uint256,bytes[])', [
      BigInt(t + 60),
      [inner02(0n, who.zero), encode('unwrapWETH9(uint256,address)', [0n, me])],
    ]),
  ],
  [
    true,
    'a multicall swap whose coins go elsewhere',
    tx(router02, 'multicall(uint256,bytes[])', [
      BigInt(t + 60),
      [inner02(0n, who.zero), encode('unwrapWETH9(uint256,address)', [10n ** 18n, mallory])],
    ]),
  ],
  [
    true,
    'liquidity without minimum',
    tx(uni2, 'addLiquidity(address,address,uint256,uint256,uint256,uint256,address,uint256)', [
      usdc,
      weth,
      10n ** 9n,
      10n ** 18n,
      0n,
      0n,
      me,
      BigInt(t + 60),
    ]),
  ],
  [
    true,
    'a delegation to a stranger',
    { from: me, authorization: { chain_id: 8453, address: mallory, nonce: 4 } },
  ],
  [
    true,
    'a delegation on every chain',
    { from: me, authorization: { chain_id: 0, address: bob, nonce: 4 }, intent: { trusted: [bob] } },
  ],
  [
    true,
    'a delegation within a transaction',
    coins(me, '0', { authorization_list: [{ chain_id: 8453, address: mallory, nonce: 5 }] }),
  ],
  [true, 'ownership to a stranger', tx(safe, 'transferOwnership(address)', [mallory])],
  [true, 'an upgrade', tx(safe, 'upgradeToAndCall(address,bytes)', [mallory, '0x'])],
  [true, 'a role', tx(safe, 'grantRole(bytes32,address)', [role, mallory])],
  [true, 'ownership given up', tx(safe, 'renounceOwnership()')],
  [true, 'a module of a Safe', safeTx(safe, encode('enableModule(address)', [mallory]), 0)],
  [true, 'a delegatecall of a Safe', safeTx(mallory, '0xdeadbeef', 1)],
  [true, 'an owner more', safeTx(safe, encode('addOwnerWithThreshold(address,uint256)', [mallory, 1n]), 0)],
  [
    true,
    'a selector that nobody knows',
    { from: me, chain_id: 1, transaction: { to: mallory, data: '0x1fad948c0000', value: '0' } },
  ],
  [true, 'claim with coins', tx(mallory, 'claim()', [], { value: '400000000000000000' })],
  [true, 'SecurityUpdate with coins', tx(mallory, 'SecurityUpdate()', [], { value: '400000000000000000' })],
  [true, 'networkMerge', tx(mallory, 'networkMerge()')],
  [true, 'a hash', { from: me, hash: `0x${'9c'.repeat(32)}` }],
  [true, 'a hash as a message', { method: 'personal_sign', params: [`0x${'9c'.repeat(32)}`, me] }],
  [
    true,
    'a login of another site',
    {
      from: me,
      message:
        'swap.example wants you to sign in with your Ethereum account:\n0x7f3a0b4c8E6d2915A3B7c1d8E9F04526Ab13cD79\n\nURI: https://swap-example.test\nVersion: 1\nChain ID: 1\nNonce: 32891756\nIssued At: 2026-09-21T12:00:00Z',
    },
  ],
  [
    true,
    'a type that nobody knows',
    sign('Delegate', { to: mallory, scope: 'all' }, { chainId: 1, verifyingContract: mallory }),
  ],
  [true, 'tokens of somebody else', tx(usdc, 'transferFrom(address,address,uint256)', [alice, bob, 5n])],
  [
    true,
    'coins with approve',
    tx(usdc, 'approve(address,uint256)', [uni2, 5n], { value: '1000000000000000' }),
  ],
  [true, 'a fee of a whole coin', coins(alice, '5', { gas: '21000', max_fee_per_gas: '50000000000000' })],
  [true, 'a deployment', { from: me, chain_id: 8453, transaction: { data: '0x60806040526000' } }],
  [
    true,
    'a limit order to a stranger',
    sign(
      'Order',
      {
        sellToken: usdc,
        buyToken: weth,
        receiver: mallory,
        sellAmount: '5000000000',
        buyAmount: '1900000000000000000',
        validTo: t + 600,
      },
      {
        name: 'Gnosis Protocol',
        version: 'v2',
        chainId: 1,
        verifyingContract: '0x9008D19f58AAbD9eD0D60971565AA8510560ab41',
      },
    ),
  ],
  [
    true,
    'a bridge to somebody else',
    tx('0x28b5a0e9c621a5badaa536219b3a228c8168cf5d', 'depositForBurn(uint256,uint32,bytes32,address)', [
      5_000_000n,
      3,
      `0x${'00'.repeat(12)}${mallory.slice(2)}`,
      usdc,
    ]),
  ],
  [true, 'a vault deposit for somebody else', tx(safe, 'deposit(uint256,address)', [5n, mallory])],

  [false, 'a transfer', tx(usdc, 'transfer(address,uint256)', [alice, 25_000_000n])],
  [
    false,
    'a transfer to a contact',
    tx(usdc, 'transfer(address,uint256)', [alice, 25_000_000n], {
      intent: { contacts: [alice, bob], recipient: alice, amount: '25000000' },
    }),
  ],
  [false, 'coins', coins(bob, '150000000000000000')],
  [
    false,
    'coins to a right checksum',
    coins('0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045', '150000000000000000', { chain_id: 1 }),
  ],
  [false, 'coins within the limit', coins(bob, '5', { intent: { max_value: '10', chain_id: 8453 } })],
  [
    false,
    'an exact approve',
    tx(usdc, 'approve(address,uint256)', [uni3, 5_000_000_000n], { intent: { amount: '5000000000' } }),
  ],
  [false, 'an exact approve of something unknown', tx(usdc, 'approve(address,uint256)', [safe, 5_000_000n])],
  [false, 'a revoked approve', tx(usdc, 'approve(address,uint256)', [mallory, 0n])],
  [
    false,
    'a revoked operator',
    tx(nft, 'setApprovalForAll(address,bool)', [mallory, false], { chain_id: 1 }),
  ],
  [false, 'less allowance', tx(usdc, 'decreaseAllowance(address,uint256)', [mallory, 500n])],
  [
    false,
    'a Permit2 lockdown',
    tx(who.permit2, 'lockdown((address token, address spender)[])', [[{ token: usdc, spender: mallory }]]),
  ],
  [
    false,
    'a Permit2 allowance for minutes',
    tx(who.permit2, 'approve(address,address,uint160,uint48)', [usdc, universal, 5_000_000n, t + 600]),
  ],
  [
    false,
    'a permit for a router',
    sign(
      'Permit',
      { owner: me, spender: router02, value: '5000000', nonce: 3, deadline: t + 1200 },
      usdcDomain,
    ),
  ],
  [
    false,
    'a permit for whom it trusts',
    sign('Permit', { owner: me, spender: safe, value: '5000000', nonce: 3, deadline: t + 1200 }, usdcDomain, {
      intent: { trusted: [safe] },
    }),
  ],
  [
    false,
    'a permit that ends one',
    sign('Permit', { owner: me, spender: mallory, value: '0', nonce: 3, deadline: t + 1200 }, usdcDomain),
  ],
  [
    false,
    'PermitSingle for the Universal Router',
    sign(
      'PermitSingle',
      {
        details: { token: usdc, amount: '5000000', expiration: t + 86_400, nonce: 0 },
        spender: universal,
        sigDeadline: t + 1800,
      },
      permit2Domain,
    ),
  ],
  [
    false,
    'PermitTransferFrom for whom it trusts',
    sign(
      'PermitTransferFrom',
      { permitted: { token: usdc, amount: '5000000' }, spender: safe, nonce: '12', deadline: t + 600 },
      permit2Domain,
      { intent: { trusted: [safe] } },
    ),
  ],
  [
    false,
    'a payment by authorization',
    sign(
      'TransferWithAuthorization',
      { from: me, to: alice, value: '10000', validAfter: 0, validBefore: t + 60, nonce: role },
      usdcDomain,
    ),
  ],
  [
    false,
    'a cancelled authorization',
    sign('CancelAuthorization', { authorizer: me, nonce: role }, usdcDomain),
  ],
  [false, 'a fair sale', order([ape], [eth(me, '29250000000000000000'), eth(bob, '750000000000000000')])],
  [false, 'a sale without fee', order([ape], [eth(me, '30000000000000000000')])],
  [
    false,
    'an offer for one',
    order(
      [
        {
          itemType: 1,
          token: weth,
          identifierOrCriteria: '0',
          startAmount: '1000000000000000000',
          endAmount: '1000000000000000000',
        },
      ],
      [{ ...ape, startAmount: '5000', endAmount: '5000', recipient: me }],
    ),
  ],
  [false, 'a swap on V3', swap3(1_900_000_000_000_000_000n)],
  [
    false,
    'a swap on V2',
    tx(uni2, v2, [5_000_000_000n, 1_900_000_000_000_000_000n, [usdc, weth], me, BigInt(t + 600)]),
  ],
  [
    false,
    'a swap within the quote',
    tx(uni2, v2, [10n ** 9n, 99_500n, [usdc, weth], me, BigInt(t + 60)], {
      intent: { amount_out: '100000' },
    }),
  ],
  [
    false,
    'a swap of coins',
    tx(uni2, v2coins, [2_400_000_000n, [weth, usdc], me, BigInt(t + 60)], { value: '1000000000000000000' }),
  ],
  [
    false,
    'a swap for a friend',
    { ...swap3(1_900_000_000_000_000_000n, alice), intent: { recipient: alice } },
  ],
  [
    false,
    'a multicall swap with its minimum at the end',
    tx(router02, 'multicall(uint256,bytes[])', [
      BigInt(t + 60),
      [
        inner02(0n, '0x0000000000000000000000000000000000000002'),
        encode('unwrapWETH9(uint256,address)', [1_900_000_000_000_000_000n, me]),
      ],
    ]),
  ],
  [
    false,
    'a multicall swap to the sender',
    tx(router02, 'multicall(bytes[])', [
      [inner02(1_900_000_000_000_000_000n, '0x0000000000000000000000000000000000000001')],
    ]),
  ],
  [
    false,
    'an exact output with its bound',
    tx(uni2, 'swapTokensForExactTokens(uint256,uint256,address[],address,uint256)', [
      10n ** 18n,
      2_650_000_000n,
      [usdc, weth],
      me,
      BigInt(t + 60),
    ]),
  ],
  [
    false,
    'liquidity with minimums',
    tx(uni2, 'addLiquidity(address,address,uint256,uint256,uint256,uint256,address,uint256)', [
      usdc,
      weth,
      10n ** 9n,
      10n ** 18n,
      99n * 10n ** 7n,
      99n * 10n ** 16n,
      me,
      BigInt(t + 60),
    ]),
  ],
  [
    false,
    'a limit order',
    sign(
      'Order',
      {
        sellToken: usdc,
        buyToken: weth,
        receiver: me,
        sellAmount: '5000000000',
        buyAmount: '1900000000000000000',
        validTo: t + 1200,
      },
      {
        name: 'Gnosis Protocol',
        version: 'v2',
        chainId: 1,
        verifyingContract: '0x9008D19f58AAbD9eD0D60971565AA8510560ab41',
      },
    ),
  ],
  [false, 'wrapped coins', tx(weth, 'deposit()', [], { value: '1000000000000000000' })],
  [false, 'unwrapped coins', tx(weth, 'withdraw(uint256)', [10n ** 18n])],
  [false, 'coins to the wrapper', coins(weth, '1000000000000000000')],
  [false, 'a deposit into a vault', tx(safe, 'deposit(uint256,address)', [5_000_000n, me])],
  [false, 'a redemption', tx(safe, 'redeem(uint256,address,address)', [5_000_000n, me, me])],
  [
    false,
    'a supply to Aave',
    tx(aave, 'supply(address,uint256,address,uint16)', [usdc, 5_000_000n, me, 0], { chain_id: 1 }),
  ],
  [
    false,
    'a withdrawal from Aave',
    tx(aave, 'withdraw(address,uint256,address)', [usdc, 5_000_000n, me], { chain_id: 1 }),
  ],
  [
    false,
    'a bridge to oneself',
    tx('0x28b5a0e9c621a5badaa536219b3a228c8168cf5d', 'depositForBurn(uint256,uint32,bytes32,address)', [
      5_000_000n,
      3,
      `0x${'00'.repeat(12)}${me.slice(2)}`,
      usdc,
    ]),
  ],
  [
    false,
    'an NFT to a friend',
    tx(nft, 'safeTransferFrom(address,address,uint256)', [me, alice, 77n], { chain_id: 1 }),
  ],
  [
    false,
    'several tokens of ERC-1155',
    tx(
      nft,
      'safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)',
      [me, alice, [1n, 2n], [5n, 5n], '0x'],
      { chain_id: 1 },
    ),
  ],
  [false, 'a claim without coins', tx(safe, 'claim()')],
  [
    false,
    'a claim with proof',
    tx(safe, 'claim(uint256,address,uint256,bytes32[])', [5n, me, 10n ** 18n, [role]]),
  ],
  [false, 'a vote', tx(safe, 'castVote(uint256,uint8)', [12n, 1])],
  [false, 'delegated votes', tx(safe, 'delegate(address)', [alice])],
  [false, 'a role taken away', tx(safe, 'revokeRole(bytes32,address)', [role, mallory])],
  [false, 'ownership accepted', tx(safe, 'acceptOwnership()')],
  [false, 'a contract paused', tx(safe, 'pause()')],
  [false, 'rewards', tx(safe, 'getReward()')],
  [false, 'a stake', tx(safe, 'stake(uint256)', [5n])],
  [
    false,
    'a delegation that ends',
    { from: me, authorization: { chain_id: 8453, address: who.zero, nonce: 4 } },
  ],
  [
    false,
    'a user operation that pays',
    execute(usdc, 0n, encode('transfer(address,uint256)', [alice, 5_000_000n])),
  ],
  [false, 'a user operation that sends coins', execute(alice, 10n ** 15n, '0x')],
  [
    false,
    'a user operation that approves and swaps',
    {
      chain_id: 8453,
      user_operation: {
        sender: me,
        callData: encode('executeBatch(address[],bytes[])', [
          [usdc, uni2],
          [
            encode('approve(address,uint256)', [uni2, 5_000_000n]),
            encode(v2, [5_000_000n, 1_900_000_000_000_000n, [usdc, weth], me, BigInt(t + 60)]),
          ],
        ]),
      },
    },
  ],
  [false, 'a Safe that pays', safeTx(usdc, encode('transfer(address,uint256)', [alice, 5_000_000n]), 0)],
  [
    false,
    'reads in a multicall',
    tx(multicall3, 'aggregate3((address target, bool allowFailure, bytes callData)[])', [
      [{ target: usdc, allowFailure: false, callData: encode('transfer(address,uint256)', [alice, 5n]) }],
    ]),
  ],
  [false, 'a message', { method: 'personal_sign', params: ['0x49206167726565', me] }],
  [false, 'a plain message', { from: me, message: 'I agree to the terms of forum.example.' }],
  [
    false,
    'a login',
    {
      from: me,
      message:
        'swap.example wants you to sign in with your Ethereum account:\n0x7f3a0b4c8E6d2915A3B7c1d8E9F04526Ab13cD79\n\nURI: https://swap.example/login\nVersion: 1\nChain ID: 1\nNonce: 32891756\nIssued At: 2026-09-21T12:00:00Z',
    },
  ],
  [
    false,
    'a vote by signature',
    sign('Vote', { proposal: '12', choice: 1 }, { name: 'Votes', chainId: 1, verifyingContract: safe }),
  ],
  [
    false,
    'a usual fee',
    coins(alice, '5', {
      gas: '21000',
      max_fee_per_gas: '30000000000',
      max_priority_fee_per_gas: '1000000000',
    }),
  ],
  [
    false,
    'a request of a wallet',
    {
      method: 'eth_sendTransaction',
      params: [{ from: me, to: alice, value: '0x5', chainId: '0x2105', gas: '0x5208' }],
    },
  ],
  [false, 'own tokens by transferFrom', tx(usdc, 'transferFrom(address,address,uint256)', [me, alice, 5n])],
  [false, 'tokens that come to oneself', tx(usdc, 'transferFrom(address,address,uint256)', [alice, me, 5n])],
  [false, 'a name', tx(safe, 'setName(string)', ['alice.example'])],
  [
    false,
    'a recipient that only begins alike',
    tx(usdc, 'transfer(address,uint256)', ['0x51c23f10999999999999999999999999999900aa', 5n], {
      intent: { contacts: [alice] },
    }),
  ],
]
