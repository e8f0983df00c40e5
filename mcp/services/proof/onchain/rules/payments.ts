import { isBurnAddress, nameOfToken } from '../decode/known-addresses.ts'
import { encode, soon, transaction, typedData, who } from '../examples.ts'
import { at, isMeant, type OnchainRule } from '../rule.ts'
import { isSame } from '../scene.ts'

const send = (to: string, amount: bigint, intent = {}) =>
  transaction(who.token, encode('transfer(address,uint256)', [to, amount]), { intent })

const coins = (to: string, value: bigint, intent = {}) => transaction(to, '0x', { value, intent })

const authorization = (from: string) =>
  typedData('TransferWithAuthorization', {
    from,
    to: who.friend,
    value: '100',
    validAfter: 0,
    validBefore: soon,
    nonce: `0x${'11'.repeat(32)}`,
  })

/** Coins and tokens that go to somebody. */
export const paymentRules: readonly OnchainRule[] = [
  {
    id: 'burn-recipient',
    severity: 'blocker',
    fix: 'Name the recipient that is meant.',
    hits: () => [
      send(who.zero, 5n),
      coins('0x000000000000000000000000000000000000dead', 5n),
      transaction(who.token, encode('burn(uint256)', [5n])),
    ],
    misses: () => [send(who.friend, 5n)],
    check: ({ payments, calls }) =>
      payments
        .filter(({ to, amount }) => amount > 0n && isBurnAddress(to))
        .map(({ to, path }) => ({
          detail: `Nobody has the key of ${to}: what goes there is lost.`,
          ...(calls.some(call => call.path === path && call.name === 'burn') && {
            severity: 'high' as const,
          }),
          place: at(path),
        })),
  },
  {
    id: 'token-contract-recipient',
    severity: 'blocker',
    fix: 'Name the account that is to have it, not the contract of a token.',
    hits: () => [send(who.token, 5n), send(who.usdc, 5n), coins(who.usdc, 5n)],
    misses: () => [send(who.friend, 5n), coins('0x4200000000000000000000000000000000000006', 5n)],
    check: ({ payments }) =>
      payments
        .filter(({ token, to }) => {
          const isWrapping = token === undefined && nameOfToken(to) === 'wrapped coin'
          return isSame(token, to) || (nameOfToken(to) !== undefined && !isWrapping)
        })
        .map(({ to, path }) => ({
          detail: `${to} is the contract of ${nameOfToken(to) ?? 'the token itself'}: nobody gets it out again.`,
          place: at(path),
        })),
  },
  {
    id: 'zero-transfer',
    severity: 'high',
    fix: 'Leave it out. Such transfers are made to put a false address into a history.',
    hits: () => [send(who.friend, 0n)],
    misses: () => [send(who.friend, 1n)],
    check: ({ payments }) =>
      payments
        .filter(({ amount, isNft, token }) => amount === 0n && !isNft && token !== undefined)
        .map(({ path }) => ({ detail: 'It transfers nothing.', place: at(path) })),
  },
  {
    id: 'third-party-transfer',
    severity: 'high',
    fix: 'Move what is yours, or have the owner do it.',
    hits: () => [
      transaction(who.token, encode('transferFrom(address,address,uint256)', [who.friend, who.stranger, 5n])),
      authorization(who.friend),
    ],
    misses: () => [
      transaction(who.token, encode('transferFrom(address,address,uint256)', [who.me, who.stranger, 5n])),
      transaction(who.token, encode('transferFrom(address,address,uint256)', [who.friend, who.me, 5n])),
      authorization(who.me),
    ],
    check: ({ payments, signer, calls }) =>
      signer === undefined
        ? []
        : payments
            .filter(
              ({ from, to, path }) =>
                from !== undefined &&
                !isSame(from, signer) &&
                !isSame(to, signer) &&
                // What a contract of the batch pays out is its own.
                !calls.some(call => call.path === path && isSame(call.from, from)),
            )
            .map(({ from, path }) => ({ detail: `It moves what belongs to ${from}.`, place: at(path) })),
  },
  {
    id: 'other-recipient',
    severity: 'blocker',
    fix: 'Compare the whole address with the one that is meant.',
    hits: () => [
      send(who.stranger, 5n, { recipient: who.friend }),
      coins(who.stranger, 5n, { recipient: who.friend }),
    ],
    misses: () => [send(who.friend, 5n, { recipient: who.friend }), send(who.stranger, 5n)],
    check: ({ payments, action: { intent } }) =>
      payments
        .filter(({ to }) => intent.recipient !== undefined && !isSame(to, intent.recipient))
        .map(({ to, path }) => ({
          detail: `It pays ${to}; ${intent.recipient} is meant.`,
          place: at(path),
        })),
  },
  {
    id: 'other-amount',
    severity: 'blocker',
    fix: 'Compare the amount and the decimals of the token.',
    hits: () => [send(who.friend, 1000n, { amount: '100' })],
    misses: () => [send(who.friend, 100n, { amount: '100' }), coins(who.friend, 1000n, { amount: '100' })],
    check: ({ payments, action: { intent } }) =>
      payments
        .filter(
          ({ token, amount, isNft }) =>
            token !== undefined && !isNft && intent.amount !== undefined && amount > intent.amount,
        )
        .map(({ amount, path }) => ({
          detail: `It pays ${amount}; ${intent.amount} are meant.`,
          place: at(path),
        })),
  },
  {
    id: 'value-over-limit',
    severity: 'blocker',
    fix: 'Send what is meant. A value is in wei: one coin is 10^18 of them.',
    hits: () => [coins(who.friend, 1000n, { max_value: '100' })],
    misses: () => [coins(who.friend, 100n, { max_value: '100' }), coins(who.friend, 1000n)],
    check: ({ value, action: { intent } }) =>
      intent.maxValue !== undefined && value > intent.maxValue
        ? [{ detail: `It sends ${value} wei; ${intent.maxValue} are the limit.`, place: at('value') }]
        : [],
  },
  {
    id: 'new-recipient',
    severity: 'low',
    fix: 'Send a small amount first.',
    hits: () => [send(who.stranger, 5n, { contacts: [who.friend] })],
    misses: () => [send(who.friend, 5n, { contacts: [who.friend] }), send(who.stranger, 5n)],
    check: scene =>
      scene.action.intent.contacts.length === 0
        ? []
        : scene.payments
            .filter(({ to }) => !isMeant(scene, to))
            .map(({ to, path }) => ({ detail: `${to} is not among your contacts.`, place: at(path) })),
  },
  {
    id: 'coins-with-token-call',
    severity: 'high',
    fix: 'Send no coins along: the function takes none, and a contract that does keeps them.',
    hits: () => [
      transaction(who.token, encode('approve(address,uint256)', [who.friend, 5n]), { value: 1n }),
      transaction(who.token, encode('transfer(address,uint256)', [who.friend, 5n]), { value: 1n }),
    ],
    misses: () => [transaction(who.token, encode('deposit()'), { value: 1n }), send(who.friend, 5n)],
    check: ({ calls }) =>
      calls
        .filter(
          ({ value, name }) =>
            value > 0n &&
            [
              'transfer',
              'transferFrom',
              'approve',
              'increaseAllowance',
              'setApprovalForAll',
              'safeTransferFrom',
            ].includes(name ?? ''),
        )
        .map(({ value, name, path }) => ({
          detail: `${name} takes no coins, and ${value} wei come with it.`,
          place: at(path),
        })),
  },
]
