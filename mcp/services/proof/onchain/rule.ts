import type { JsonRecord } from '../../../lib/json.ts'
import type { Place, Severity } from '../review/finding.ts'
import { isSame, type Scene } from './scene.ts'
import type { ChainState, StatePart } from './state/chain-state.ts'

/** Hit of a rule. The severity is that of the rule unless it says otherwise. */
export type Hit = { detail: string; severity?: Severity; place?: Place }

/** An action as JSON, and what nodes said where a rule looks at that. */
export type OnchainExample = { action: JsonRecord; chain?: Partial<ChainState> }

export type ChainPart = 'code' | 'age' | 'allowance' | 'simulation' | 'sale'

/** One rule about what is signed. `hits` are actions that it finds something in, `misses` look alike and are harmless to it. */
export type OnchainRule = {
  id: string
  severity: Severity
  fix: string
  /** Part of the chain state that it looks at: without that it is not run. */
  needs?: ChainPart
  hits: () => readonly [OnchainExample, ...OnchainExample[]]
  misses: () => readonly [OnchainExample, ...OnchainExample[]]
  check(scene: Scene): readonly Hit[]
}

/** A rule over the facts of one part of the chain state. */
export const chainRule = <part extends ChainPart>({
  check,
  ...rule
}: Omit<OnchainRule, 'check' | 'needs'> & {
  needs: part
  check(facts: Extract<ChainState[part], { facts: unknown }>['facts'], scene: Scene): readonly Hit[]
}): OnchainRule => ({
  ...rule,
  check: scene => {
    const part = scene.chain[rule.needs] as StatePart<never>
    return 'facts' in part ? check(part.facts, scene) : []
  },
})

/** True when the signer says that it trusts a contract with its assets. */
export const isTrusted = ({ action }: Scene, address: string): boolean =>
  action.intent.trusted.some(trusted => isSame(trusted, address))

/** True when the signer named an address as the one that it means, or has dealt with it. */
export const isMeant = ({ action, signer }: Scene, address: string): boolean =>
  isSame(signer, address) ||
  isSame(action.intent.recipient, address) ||
  action.intent.contacts.some(contact => isSame(contact, address))

export const at = (path: string) => ({ path })

const dayS = 86_400n
export const days = (count: number): bigint => BigInt(count) * dayS
