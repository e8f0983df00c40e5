import type { Ports } from '../ports/ports.ts'
import type { Port } from './port.ts'
import type { Setting } from './setting.ts'

/** A port or a setting of a service's own. */
export type OwnNeed = Port | Setting

/** A need a handler may have: a port of the program by its name, a port or a setting of its service as declared. */
export type Need = keyof Ports | OwnNeed

type ValueOf<need> =
  need extends Port<string, infer value>
    ? value
    : need extends Setting<string, infer value>
      ? Exclude<value, undefined>
      : never

/** Values of a handler's needs, each under its name. */
export type Provided<needs extends Need> = Pick<Ports, Extract<needs, keyof Ports>> & {
  readonly [need in Extract<needs, OwnNeed> as need['name']]: ValueOf<need>
}

/** The name under which a need stands in a context. */
export const needName = (need: Need): string => (typeof need === 'string' ? need : need.name)

/** An operator's variables for ports of the program that are not always there. */
const portVariables: Partial<Record<keyof Ports, string>> = {
  card: 'STRIPE_SECRET_KEY',
  lightning: 'OCTAGENT_LIGHTNING',
  llm: 'LLM_URL',
  payouts: 'OCTAGENT_NETWORKS',
  transfers: 'OCTAGENT_NETWORKS',
}

/** Names a need to operators: a setting by its variable, a port by the variable that opens it, else by its name. */
export const needLabel = (need: Need): string => {
  if (typeof need === 'string') return portVariables[need] ?? need
  return need.kind === 'port' ? need.name : need.variable
}
