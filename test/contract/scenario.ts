import type { startApp } from '../app.ts'

export type App = Awaited<ReturnType<typeof startApp>>
export type Input = Record<string, unknown>
export type Headers = Record<string, string>

/** An input that works in this world right now, and the credentials it needs. */
export type Prepared = { input: Input; headers: Headers }

/** What an example of a tool needs around it to work: an account, a listing, a thread, a deal, a tip. */
export type Scenario = (app: App, input: Input) => Promise<Prepared>

/** What a service tells the contract test about its examples. */
export type ServiceScenarios = {
  /** By name of the tool; a tool that is not named works as it is, with `credentials` where it is not public. */
  tools: Record<string, Scenario>
  /** Credentials of a new caller of this service. */
  credentials?: (app: App) => Promise<Headers>
  /** Ways on which the example of a tool cannot be answered without money that moved on a chain; tests of their own do that. */
  isUnanswerable?: (tool: string, way: string) => boolean
}

let clients = 0

/** Each call comes from a client of its own, so that limits per client do not add up. */
export const fromSomewhere = (): Headers => {
  clients++
  return { 'x-forwarded-for': `10.${clients >> 16}.${(clients >> 8) & 255}.${clients & 255}` }
}

let named = 0

/** A number that no other example of this run has, for names that must be new. */
export const nextNumber = (): number => ++named
