import type { Evm } from '../../../ports/evm/port.ts'
import type { Judged } from '../review/answer.ts'
import type { KnownBad } from '../review/config.ts'
import { judgeScene, onchainPolicy } from './judge.ts'
import type { Scene } from './scene.ts'
import { unreadChain } from './state/chain-state.ts'
import { readChain } from './state/read-chain.ts'

const maxListed = 50

const describeRisk = (scene: Scene, checksRun: readonly string[], verdict: string): Judged['onchainRisk'] => {
  const { simulation, source } = scene.chain
  return {
    subject: scene.action.subject.kind,
    chain_id: scene.chainId ?? null,
    signer: scene.signer ?? null,
    decoded: scene.calls.slice(0, maxListed).map(({ path, to, name, args, value }) => ({
      path,
      to,
      function: name ?? null,
      args: { ...args },
      value: String(value),
    })),
    grants: scene.grants.slice(0, maxListed).map(({ via, spender, token, amount }) => ({
      via,
      spender,
      token: token ?? null,
      amount: String(amount),
    })),
    checks_run: [...checksRun],
    deterministic_verdict: verdict,
    chain: source
      ? {
          ...source,
          simulation:
            'facts' in simulation
              ? {
                  method: simulation.facts.method,
                  ok: simulation.facts.ok,
                  changes: simulation.facts.changes.map(({ token, delta }) => ({
                    token: token ?? null,
                    delta: String(delta),
                  })),
                }
              : null,
        }
      : null,
  }
}

type Deps = {
  knownBad: readonly KnownBad[]
  /** Undefined where no node may be asked. */
  evm: Evm | undefined
  signal: AbortSignal
}

/** Reviews a decoded action: held against the chain where nodes answer, judged by the rules. `text` is what the decision is about. */
export const reviewScene = async (
  { knownBad, evm, signal }: Deps,
  decoded: Scene,
  text: string,
): Promise<Judged> => {
  const chain = evm ? await readChain(evm, decoded, signal) : unreadChain('no node was asked')
  const scene = { ...decoded, chain }
  const judged = judgeScene(scene, knownBad)
  return {
    ...judged,
    text,
    type: 'onchain_action',
    engine: 'facts',
    readAs: [scene.action.subject.kind],
    policyVersion: onchainPolicy,
    tradingState: undefined,
    onchainRisk: describeRisk(scene, judged.checksRun, judged.gate.original_verdict),
  }
}
