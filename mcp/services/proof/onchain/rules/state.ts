import { account, encode, soon, transaction, who, withSimulation } from '../examples.ts'
import { at, chainRule, isMeant, isTrusted, type OnchainRule } from '../rule.ts'
import { isSame, type Scene } from '../scene.ts'
import type { AccountFacts } from '../state/chain-state.ts'

const approve = () => transaction(who.usdc, encode('approve(address,uint256)', [who.stranger, 5n]))
const coins = (to: string) => transaction(to, '0x', { value: 5n })
const send = () => transaction(who.token, encode('transfer(address,uint256)', [who.friend, 5n]))
const swap = () =>
  transaction(
    who.router,
    encode('swapExactTokensForTokens(uint256,uint256,address[],address,uint256)', [
      10_000n,
      9_900n,
      [who.usdc, who.token],
      who.me,
      soon,
    ]),
  )

const code = (...facts: AccountFacts[]) => ({ chain: { code: { facts } } })
const contract = (address: string, more: Partial<AccountFacts> = {}) =>
  account(address, { codeBytes: 4000, ...more })

const find = (facts: readonly AccountFacts[], address: string): AccountFacts | undefined =>
  facts.find(one => isSame(one.address, address))

/** An account with a key: one without code, or with code that it took on. */
const hasKey = ({ codeBytes, delegate }: AccountFacts): boolean => codeBytes === 0 || delegate !== undefined

/** The decoded action's outflow of a token from the signer; undefined for any amount. */
const expectedOutflow = (scene: Scene, token: string | undefined): bigint | undefined => {
  const { payments, trades, value, signer } = scene
  let total = token === undefined ? value : 0n
  for (const payment of payments)
    if (payment.token !== undefined && isSame(payment.token, token) && isSame(payment.from, signer))
      total += payment.amount
  for (const trade of trades) {
    if (token === undefined || !isSame(trade.tokenIn, token)) continue
    const most = trade.amountIn ?? trade.maxIn
    if (most === undefined) return undefined
    total += most
  }
  return total
}

/** Rules on nodes' account facts and on a dry run. */
export const stateRules: readonly OnchainRule[] = [
  chainRule({
    id: 'spender-without-code',
    severity: 'blocker',
    needs: 'code',
    fix: 'Name a contract as spender. Nobody needs an allowance of yours for an ordinary account.',
    hits: () => [
      { ...approve(), ...code(account(who.stranger), contract(who.usdc)) },
      {
        ...approve(),
        ...code(account(who.stranger, { codeBytes: 23, delegate: who.token }), contract(who.usdc)),
      },
    ],
    misses: () => [{ ...approve(), ...code(contract(who.stranger), contract(who.usdc)) }],
    check: (facts, { grants }) =>
      grants
        .filter(({ spender, amount }) => {
          const one = find(facts, spender)
          return amount > 0n && one !== undefined && hasKey(one)
        })
        .map(({ spender, path }) => ({
          detail: `${spender} is an ordinary account, not a contract: whoever has its key takes the tokens.`,
          place: at(path),
        })),
  }),
  chainRule({
    id: 'contract-without-code',
    severity: 'blocker',
    needs: 'code',
    fix: 'Check the chain and the address: there is no contract at it.',
    hits: () => [{ ...approve(), ...code(contract(who.stranger), account(who.usdc)) }],
    misses: () => [{ ...approve(), ...code(contract(who.stranger), contract(who.usdc)) }],
    check: (facts, { calls }) =>
      calls
        .filter(({ data, to }) => data !== '0x' && find(facts, to)?.codeBytes === 0)
        .map(({ to, path }) => ({
          detail: `There is no contract at ${to} on this chain: the call does nothing, and coins that come with it are gone.`,
          place: at(path),
        })),
  }),
  chainRule({
    id: 'recipient-is-contract',
    severity: 'medium',
    needs: 'code',
    fix: 'Make sure that the contract gives it back. Name it as the recipient that is meant.',
    hits: () => [{ ...coins(who.stranger), ...code(contract(who.stranger)) }],
    misses: () => [
      { ...coins(who.stranger), ...code(account(who.stranger)) },
      {
        ...transaction(who.stranger, '0x', { value: 5n, intent: { recipient: who.stranger } }),
        ...code(contract(who.stranger)),
      },
    ],
    check: (facts, scene) =>
      scene.payments
        .filter(({ to }) => {
          const one = find(facts, to)
          return one !== undefined && !hasKey(one) && !isMeant(scene, to) && !isTrusted(scene, to)
        })
        .map(({ to, path }) => ({ detail: `${to} is a contract, not an account.`, place: at(path) })),
  }),
  chainRule({
    id: 'upgradeable-contract',
    severity: 'low',
    needs: 'code',
    fix: 'Find out who may upgrade it.',
    hits: () => [
      {
        ...approve(),
        ...code(
          contract(who.stranger, {
            proxy: { kind: 'eip1967', implementation: who.token, hasCode: true },
          }),
        ),
      },
    ],
    misses: () => [{ ...approve(), ...code(contract(who.stranger)) }],
    check: facts =>
      facts
        .filter(({ proxy }) => proxy !== undefined && proxy.kind !== 'minimal' && proxy.hasCode)
        .map(({ address, proxy }) => ({
          detail: `${address} runs the code of ${proxy?.implementation}, which its admin may exchange.`,
        })),
  }),
  chainRule({
    id: 'empty-proxy',
    severity: 'high',
    needs: 'code',
    fix: 'Do not use it: it passes calls on to nothing.',
    hits: () => [
      {
        ...approve(),
        ...code(
          contract(who.stranger, { proxy: { kind: 'minimal', implementation: who.token, hasCode: false } }),
        ),
      },
    ],
    misses: () => [
      {
        ...approve(),
        ...code(
          contract(who.stranger, { proxy: { kind: 'minimal', implementation: who.token, hasCode: true } }),
        ),
      },
    ],
    check: facts =>
      facts
        .filter(({ proxy }) => proxy?.hasCode === false)
        .map(({ address, proxy }) => ({
          detail: `${address} passes calls on to ${proxy?.implementation}, where there is no code.`,
        })),
  }),
  chainRule({
    id: 'delegated-signer',
    severity: 'medium',
    needs: 'code',
    fix: 'If you did not delegate it yourself, move what it holds with a new account.',
    hits: () => [{ ...send(), ...code(account(who.me, { codeBytes: 23, delegate: who.stranger })) }],
    misses: () => [{ ...send(), ...code(account(who.me)) }],
    check: (facts, scene) => {
      const own = scene.signer && find(facts, scene.signer)
      return own?.delegate !== undefined && !isTrusted(scene, own.delegate)
        ? [
            {
              detail: `The account that signs runs the code of ${own.delegate} (EIP-7702).`,
              place: at('from'),
            },
          ]
        : []
    },
  }),
  chainRule({
    id: 'young-contract',
    severity: 'medium',
    needs: 'age',
    fix: 'Wait, or find out who made it.',
    hits: () => [{ ...approve(), chain: { age: { facts: [who.stranger] } } }],
    misses: () => [
      { ...approve(), chain: { age: { facts: [] } } },
      {
        action: { ...approve().action, intent: { trusted: [who.stranger] } },
        chain: { age: { facts: [who.stranger] } },
      },
    ],
    check: (facts, scene) =>
      facts
        .filter(address => !isTrusted(scene, address))
        .map(address => ({ detail: `${address} has been there for less than three days.` })),
  }),
  chainRule({
    id: 'allowance-stands',
    severity: 'low',
    needs: 'allowance',
    fix: 'Set it to zero first, or leave it as it is.',
    hits: () => [
      {
        ...approve(),
        chain: { allowance: { facts: [{ token: who.usdc, spender: who.stranger, amount: 7n }] } },
      },
    ],
    misses: () => [
      {
        ...approve(),
        chain: { allowance: { facts: [{ token: who.usdc, spender: who.stranger, amount: 0n }] } },
      },
    ],
    check: (facts, { grants }) =>
      facts
        .filter(
          ({ amount, spender }) =>
            amount > 0n && grants.some(grant => isSame(grant.spender, spender) && grant.amount > 0n),
        )
        .map(({ spender, amount }) => ({ detail: `${spender} may move ${amount} already.` })),
  }),
  chainRule({
    id: 'would-fail',
    severity: 'high',
    needs: 'simulation',
    fix: 'Do not send it: it costs gas and does nothing.',
    hits: () => [{ ...send(), ...withSimulation({ ok: false, reason: 'not enough' }) }],
    misses: () => [{ ...send(), ...withSimulation({}) }],
    check: ({ ok, reason }) => (ok ? [] : [{ detail: `The dry run fails: ${reason ?? 'no reason given'}.` }]),
  }),
  chainRule({
    id: 'hidden-outflow',
    severity: 'blocker',
    needs: 'simulation',
    fix: 'Do not sign it: more leaves the account than it says.',
    hits: () => [
      { ...approve(), ...withSimulation({ changes: [{ token: who.token, delta: -5n }] }) },
      { ...send(), ...withSimulation({ changes: [{ token: who.token, delta: -6n }] }) },
    ],
    misses: () => [
      { ...send(), ...withSimulation({ changes: [{ token: who.token, delta: -5n }] }) },
      {
        ...swap(),
        ...withSimulation({
          changes: [
            { token: who.usdc, delta: -10_000n },
            { token: who.token, delta: 9_950n },
          ],
        }),
      },
    ],
    check: ({ ok, changes }, scene) => {
      if (!ok) return []
      const { intent } = scene.action
      return changes
        .filter(({ token, delta }) => {
          if (delta >= 0n) return false
          const expected = expectedOutflow(scene, token)
          if (expected === undefined || -delta <= expected) return false
          return !(token !== undefined && intent.amount !== undefined && -delta <= intent.amount)
        })
        .map(({ token, delta }) => ({
          detail: `The dry run takes ${-delta} of ${token ?? 'the coins'} from the account, which what is written does not say.`,
          ...(scene.unknowns.length > 0 && { severity: 'high' as const }),
        }))
    },
  }),
  chainRule({
    id: 'hidden-allowance',
    severity: 'blocker',
    needs: 'simulation',
    fix: 'Do not sign it: it lets somebody move your tokens without saying so.',
    hits: () => [
      {
        ...send(),
        ...withSimulation({ approvals: [{ token: who.usdc, spender: who.stranger, amount: 5n }] }),
      },
    ],
    misses: () => [
      {
        ...approve(),
        ...withSimulation({ approvals: [{ token: who.usdc, spender: who.stranger, amount: 5n }] }),
      },
    ],
    check: ({ ok, approvals = [] }, { grants }) =>
      !ok
        ? []
        : approvals
            .filter(
              ({ spender, amount }) => amount > 0n && !grants.some(grant => isSame(grant.spender, spender)),
            )
            .map(({ token, spender, amount }) => ({
              detail: `In the dry run ${spender} gets leave to move ${amount} of ${token}, which what is written does not say.`,
            })),
  }),
  chainRule({
    id: 'short-arrival',
    severity: 'medium',
    needs: 'simulation',
    fix: 'Count on what arrives: the token keeps a part of each transfer.',
    hits: () => [
      {
        ...send(),
        ...withSimulation({ arrivals: [{ token: who.token, to: who.friend, expected: 5n, arrived: 4n }] }),
      },
    ],
    misses: () => [
      {
        ...send(),
        ...withSimulation({ arrivals: [{ token: who.token, to: who.friend, expected: 5n, arrived: 5n }] }),
      },
    ],
    check: ({ ok, arrivals }) =>
      !ok
        ? []
        : arrivals
            .filter(({ expected, arrived }) => arrived < expected)
            .map(({ token, to, expected, arrived }) => ({
              detail: `Of ${expected} of ${token}, ${arrived} arrive at ${to}.`,
              ...(arrived * 5n < expected * 4n && { severity: 'blocker' as const }),
            })),
  }),
  chainRule({
    id: 'nothing-back',
    severity: 'blocker',
    needs: 'simulation',
    fix: 'Do not sign it: the trade gives nothing.',
    hits: () => [{ ...swap(), ...withSimulation({ changes: [{ token: who.usdc, delta: -10_000n }] }) }],
    misses: () => [
      {
        ...swap(),
        ...withSimulation({
          changes: [
            { token: who.usdc, delta: -10_000n },
            { token: who.token, delta: 9_950n },
          ],
        }),
      },
    ],
    check: ({ ok, changes }, { trades, signer }) => {
      const isOwn =
        trades.length > 0 &&
        trades.every(({ recipient, minOut }) => minOut !== undefined && isSame(recipient, signer))
      const gives = changes.some(({ delta }) => delta < 0n)
      const gets = changes.some(({ delta }) => delta > 0n)
      return ok && isOwn && gives && !gets ? [{ detail: 'In the dry run nothing comes back.' }] : []
    },
  }),
  chainRule({
    id: 'honeypot',
    severity: 'blocker',
    needs: 'sale',
    fix: 'Do not buy it: it cannot be sold again.',
    hits: () => [
      {
        ...swap(),
        chain: { sale: { facts: [{ token: who.token, canTransfer: true, feeBps: 0, canSell: false }] } },
      },
      {
        ...swap(),
        chain: { sale: { facts: [{ token: who.token, canTransfer: true, feeBps: 1500, canSell: true }] } },
      },
    ],
    misses: () => [
      {
        ...swap(),
        chain: { sale: { facts: [{ token: who.token, canTransfer: true, feeBps: 0, canSell: true }] } },
      },
    ],
    check: facts =>
      facts.flatMap(({ token, canTransfer, canSell, feeBps }) => {
        if (!canTransfer || canSell === false)
          return [
            {
              detail: canTransfer
                ? `${token} can be bought and not be sold again.`
                : `Who holds ${token} cannot pass it on.`,
            },
          ]
        if (feeBps <= 300) return []
        return [
          {
            detail: `${token} keeps ${feeBps / 100} % of each transfer.`,
            severity: feeBps > 2000 ? ('blocker' as const) : ('high' as const),
          },
        ]
      }),
  }),
]
