import type { Need, Provided } from './need.ts'

/** An edge of the world that a service brings along: opened once for the installation, closed with it. */
export type Port<name extends string = string, value = unknown> = {
  readonly kind: 'port'
  /** Under which handlers find it in their context. */
  readonly name: name
  readonly needs: readonly Need[]
  // biome-ignore lint/suspicious/noExplicitAny: the needs of any port, as the composition sees them
  open(ctx: Provided<any>): value | Promise<value>
  /** The port with a value in its place, as tests replace the world. */
  as(value: value): Provision
}

/** A need and what it is. */
export type Provision = readonly [need: Port, value: unknown]

type Facts<name extends string, needs extends Need> = { name: name; needs: readonly needs[] }

/**
 * Declares a port of a service's own: `port({ name: 'tides', needs: ['fetch', settings.url] }).open(…)`. Handlers that list it among
 * their `needs` get what `open` returned; if that has a `close`, it is closed with the installation. Where one of
 * its own needs is not configured, neither is the port.
 */
export const port = <const name extends string, const needs extends Need = never>({
  name,
  needs,
}: Facts<name, needs>) => ({
  open<value extends object>(open: (ctx: Provided<needs>) => value | Promise<value>): Port<name, value> {
    const newPort: Port<name, value> = {
      kind: 'port',
      name,
      needs,
      open,
      as: value => [newPort, value],
    }
    return newPort
  },
})
