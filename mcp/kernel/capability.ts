import type { Need, Provided } from './need.ts'

/** Whether something works here that takes more than configured ports, such as a contract; `reason` says why not. */
export type CapabilityState = { state: 'on' | 'off'; reason?: string | undefined }

export type Capability<needs extends Need = never, wants extends Need = never> = {
  /** Unique within its service. */
  readonly name: string
  /** The variables that turn it on, as operators set them. */
  readonly variables: readonly string[]
  readonly needs: readonly needs[]
  readonly wants: readonly wants[]
  look(
    ctx: Provided<needs> & Partial<Provided<wants>> & { signal: AbortSignal },
  ): CapabilityState | Promise<CapabilityState>
}

// biome-ignore lint/suspicious/noExplicitAny: a capability of any needs, as the composition sees it
export type AnyCapability = Capability<any, any>

type Facts<needs extends Need, wants extends Need> = Pick<Capability<needs>, 'name' | 'variables'> & {
  needs: readonly needs[]
  wants?: readonly wants[]
}

/**
 * Declares what operators are told of beyond the needs of tools: `capability({ name: 'bridge', variables, needs }).look(…)`. It is looked
 * at for `/readyz` and `octagent doctor`; one that throws is off, with what it threw as the reason.
 */
export const capability = <const needs extends Need = never, const wants extends Need = never>({
  wants = [],
  ...facts
}: Facts<needs, wants>) => ({
  look: (look: Capability<needs, wants>['look']): Capability<needs, wants> => ({ ...facts, wants, look }),
})
