import { encode, transaction, who } from '../examples.ts'
import { at, isMeant, isTrusted, type OnchainRule } from '../rule.ts'

const delegation = (chainId: number, address: string, intent = {}) => ({
  action: { from: who.me, authorization: { chain_id: chainId, address, nonce: 0 }, intent },
})

const isNobody = (address: string): boolean => /^0x0{40}$/.test(address)

const describeNesting = (count: number): string => {
  let data = encode('approve(address,uint256)', [who.stranger, 5n])
  for (let depth = 0; depth < count; depth++) data = encode('multicall(bytes[])', [[data]])
  return data
}

/** Control over contracts and accounts, and calls that nobody understands. */
export const controlRules: readonly OnchainRule[] = [
  {
    id: 'control-change',
    severity: 'blocker',
    fix: 'Give control only to an account that you name as trusted, and by a process that more than one person sees.',
    hits: () => [
      transaction(who.token, encode('transferOwnership(address)', [who.stranger])),
      transaction(who.token, encode('upgradeTo(address)', [who.stranger])),
      transaction(who.token, encode('grantRole(bytes32,address)', [`0x${'00'.repeat(32)}`, who.stranger])),
      transaction(who.token, encode('renounceOwnership()')),
      transaction(who.token, encode('enableModule(address)', [who.stranger])),
      transaction(who.token, encode('transferOwnership(address)', [who.friend]), {
        intent: { trusted: [who.friend] },
      }),
    ],
    misses: () => [
      transaction(who.token, encode('revokeRole(bytes32,address)', [`0x${'00'.repeat(32)}`, who.stranger])),
      transaction(who.token, encode('acceptOwnership()')),
    ],
    check: scene =>
      scene.controls.map(({ what, to, path }) => ({
        detail:
          to === undefined ? `${what} changes for good who controls it.` : `${what} gives control to ${to}.`,
        ...(to !== undefined &&
          (isTrusted(scene, to) || isMeant(scene, to)) && { severity: 'medium' as const }),
        place: at(path),
      })),
  },
  {
    id: 'account-delegation',
    severity: 'blocker',
    fix: 'Delegate only to code that you name as trusted. Most delegations that strangers ask for empty the account.',
    hits: () => [
      delegation(8453, who.stranger),
      delegation(8453, who.stranger, { trusted: [who.stranger] }),
      transaction(who.me, '0x', {
        authorization_list: [{ chain_id: 8453, address: who.stranger, nonce: 0 }],
      }),
    ],
    misses: () => [delegation(8453, who.zero)],
    check: scene =>
      scene.delegations
        .filter(({ address }) => !isNobody(address))
        .map(({ address, path }) => ({
          detail: `The account takes on the code of ${address}, which then may do all that its key may.`,
          ...(isTrusted(scene, address) && { severity: 'medium' as const }),
          place: at(path),
        })),
  },
  {
    id: 'delegation-any-chain',
    severity: 'blocker',
    fix: 'Sign it for one chain.',
    hits: () => [delegation(0, who.stranger, { trusted: [who.stranger] })],
    misses: () => [delegation(8453, who.stranger)],
    check: ({ delegations }) =>
      delegations
        .filter(({ chainId, address }) => chainId === 0n && !isNobody(address))
        .map(({ path }) => ({ detail: 'The authorization holds on every chain.', place: at(path) })),
  },
  {
    id: 'delegation-ended',
    severity: 'info',
    fix: 'Nothing.',
    hits: () => [delegation(8453, who.zero)],
    misses: () => [delegation(8453, who.stranger)],
    check: ({ delegations }) =>
      delegations
        .filter(({ address }) => isNobody(address))
        .map(({ path }) => ({ detail: 'The account gives up foreign code.', place: at(path) })),
  },
  {
    id: 'lure',
    severity: 'blocker',
    fix: 'Send nothing: what gives something away does not ask for coins.',
    hits: () => [
      transaction(who.stranger, encode('claim()'), { value: 5n }),
      transaction(who.stranger, encode('securityUpdate()'), { value: 5n }),
      transaction(who.stranger, encode('securityUpdate()')),
    ],
    misses: () => [transaction(who.stranger, encode('claim()'))],
    check: ({ lures }) =>
      lures
        .filter(({ name, value }) => value > 0n || /^(?:securityUpdate|networkMerge|connect)/i.test(name))
        .map(({ name, value, path }) => ({
          detail:
            value > 0n
              ? `${name}() takes ${value} wei and names nothing that it gives: drainers call theirs so.`
              : `Drainers call their function ${name}().`,
          ...(value === 0n && { severity: 'high' as const }),
          place: at(path),
        })),
  },
  {
    id: 'unknown-function',
    severity: 'high',
    fix: 'Have the call named by its function and arguments, and reviewed again.',
    hits: () => [
      transaction(who.stranger, '0xdeadbeef'),
      transaction(who.router, encode('multicall(bytes[])', [['0xdeadbeef']])),
      transaction(who.stranger, '0xa9059cbb00'),
    ],
    misses: () => [transaction(who.token, encode('approve(address,uint256)', [who.friend, 5n]))],
    check: ({ unknowns, typedData }) =>
      unknowns
        .filter(({ isTop }) => !isTop || typedData === undefined)
        .map(({ what, selector, to, path }) => ({
          detail: `${selector}${to ? ` of ${to}` : ''} ${what}: it would be signed blindly.`,
          place: at(path),
        })),
  },
  {
    id: 'unread-part',
    severity: 'high',
    fix: 'Split it into calls that can be read.',
    hits: () => [transaction(who.router, describeNesting(8))],
    misses: () => [transaction(who.router, describeNesting(2))],
    check: ({ problems }) => problems.map(detail => ({ detail })),
  },
  {
    id: 'contract-creation',
    severity: 'medium',
    fix: 'Review the source, and compare its code with what is deployed.',
    hits: () => [{ action: { from: who.me, chain_id: 1, transaction: { data: '0x6080604052' } } }],
    misses: () => [transaction(who.friend, '0x', { value: 5n })],
    check: ({ isCreation }) =>
      isCreation ? [{ detail: 'It deploys code that is not read here.', place: at('transaction.data') }] : [],
  },
  {
    id: 'gas-excess',
    severity: 'high',
    fix: 'Ask for a new estimate, and compare the fee with what such a call costs.',
    hits: () => [
      transaction(who.friend, '0x', { value: 5n, gas: '21000', max_fee_per_gas: '20000000000000' }),
      transaction(who.token, encode('approve(address,uint256)', [who.stranger, 0n]), { gas: '3000000' }),
    ],
    misses: () => [
      transaction(who.friend, '0x', { value: 5n, gas: '21000', max_fee_per_gas: '20000000000' }),
      transaction(who.token, encode('approve(address,uint256)', [who.stranger, 0n]), { gas: '60000' }),
    ],
    check: ({ gas: { limit, feePerGas, priorityFee }, calls, grants }) => {
      const fee = (limit ?? 0n) * (feePerGas ?? 0n)
      const isSmall = calls.length === 1 && grants.length > 0
      if (fee > 2n * 10n ** 17n) return [{ detail: `Its fee may be ${fee} wei.`, place: at('gas') }]
      if (isSmall && limit !== undefined && limit > 1_000_000n)
        return [
          {
            detail: `It takes ${limit} gas, where an allowance takes 60,000: the token does something else.`,
            severity: 'medium',
            place: at('gas'),
          },
        ]
      return priorityFee !== undefined && feePerGas !== undefined && priorityFee > feePerGas
        ? [
            {
              detail: 'The priority fee is above the whole fee: it is refused.',
              severity: 'low',
              place: at('gas'),
            },
          ]
        : []
    },
  },
]
