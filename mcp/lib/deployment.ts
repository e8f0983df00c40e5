import type { Hex, PublicClient } from 'viem'
import { z } from 'zod'
import { ToolError } from '../kernel/error.ts'
import type { ContractCode } from './contract.ts'

/** What a plan can go by, beside its parameters. */
export type PlanContext = {
  network: string
  usdc: Hex
  /** The account that sends and pays. */
  sender: Hex
  /** Values of the settings, by variable. */
  config: Readonly<Record<string, unknown>>
}

type ContractStep = { title: string; code: ContractCode; initCode: Hex }

/** A call to a contract that is there; `read` resolves to undefined where nothing is left to do. */
type CallStep = {
  title: string
  /** The account that may send it; anybody without one. */
  by?: Hex
  /** `isNew`: the contract is not there yet. */
  read(reader: PublicClient, isNew: boolean): Promise<{ to: Hex; data: Hex; value?: bigint } | undefined>
}

export type Step = ContractStep | CallStep

export type Plan = {
  /** Contracts of others that must be there, by their names. */
  needs: readonly (readonly [name: string, address: Hex])[]
  steps: readonly Step[]
  /** Variables that name what was deployed. */
  settings: Readonly<Record<string, string>>
}

/** How the contracts of a capability are deployed; every address follows from the parameters. */
export type Deployment = {
  networks: readonly string[]
  /** Parameters with their meaning; a `value` that is undefined has to be filled in. */
  parameters(context: PlanContext): Readonly<Record<string, { value: unknown; about: string }>>
  /** Throws `invalid_input` that names the parameters that do not fit. */
  plan(values: Readonly<Record<string, unknown>>, context: PlanContext): Plan
}

type Facts<shape extends z.ZodRawShape> = {
  networks: readonly string[]
  parameters: z.ZodObject<shape>
  defaults(context: PlanContext): Partial<Record<keyof shape, unknown>>
  plan(values: z.output<z.ZodObject<shape>>, context: PlanContext): Plan
}

/** Declares a deployment; the description of a parameter says what it is for. */
export const deployment = <const shape extends z.ZodRawShape>(facts: Facts<shape>): Deployment => ({
  networks: facts.networks,
  parameters: context => {
    const defaults: Readonly<Record<string, unknown>> = facts.defaults(context)
    return Object.fromEntries(
      Object.entries(facts.parameters.shape).map(([name, schema]) => [
        name,
        { value: defaults[name], about: (schema as z.ZodType).description ?? '' },
      ]),
    )
  },
  plan: (values, context) => {
    const parsed = facts.parameters.safeParse(values)
    if (parsed.success) return facts.plan(parsed.data, context)
    const issues = parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }))
    const words = issues.map(({ path, message }) => `${path || 'the parameters'}: ${message}`).join('; ')
    throw new ToolError('invalid_input', `The parameters do not fit. ${words}`, { issues })
  },
})

/** An address among the parameters. */
export const parameterAddress = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, 'must be an EVM address')
  .transform(text => text as Hex)
