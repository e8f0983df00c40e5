import {
  type Abi,
  type Address,
  type ContractFunctionArgs,
  type ContractFunctionName,
  type ContractFunctionReturnType,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  type PublicClient,
} from 'viem'
import { type Question, simulateCalls } from './simulate.ts'

type Kind = 'pure' | 'view'

/** A question to a contract that knows how to read its answer: undefined for a revert, or for bytes that are no answer. */
export type ContractView<value> = Question & { read(answer: Hex | undefined): value | undefined }

/** Declares a view of a contract. */
export const view = <
  const abi extends Abi,
  name extends ContractFunctionName<abi, Kind>,
  const args extends ContractFunctionArgs<abi, Kind, name>,
>(
  to: Address,
  abi: abi,
  functionName: name,
  args: args,
): ContractView<ContractFunctionReturnType<abi, Kind, name, args>> => ({
  to,
  data: encodeFunctionData({ abi, functionName, args } as never),
  read(answer) {
    if (answer === undefined) return undefined
    try {
      return decodeFunctionResult({
        abi,
        functionName,
        args,
        data: answer,
      } as never) as ContractFunctionReturnType<abi, Kind, name, args>
    } catch {
      return undefined
    }
  },
})

type Values<views extends readonly ContractView<unknown>[]> = {
  [index in keyof views]: views[index] extends ContractView<infer value> ? value | undefined : never
}

/** Reads the answers, each in the type of its view. */
export const readAnswers = <const views extends readonly ContractView<unknown>[]>(
  views: views,
  answers: readonly (Hex | undefined)[],
): Values<views> => views.map((view, index) => view.read(answers[index])) as Values<views>

/** Somebody who asks and has nothing. */
const nobody: Address = '0x0000000000000000000000000000000000000a5c'

/** Asks all views on one block, in one request. */
export const askTogether = async <const views extends readonly ContractView<unknown>[]>(
  reader: PublicClient,
  views: views,
  now: Date,
): Promise<Values<views>> => {
  const { answers } = await simulateCalls(reader, { account: nobody, calls: [], questions: views, now })
  return readAnswers(views, answers)
}
