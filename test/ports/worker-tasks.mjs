import { threadId } from 'node:worker_threads'
import { ToolError } from '../../dist/mcp/kernel/error.js'

export const double = ({ n }) => ({ n: n * 2 })

export const threadOf = () => threadId

export const forever = () => {
  for (;;);
}

export const hoard = () => {
  const kept = []
  for (;;) kept.push(new Array(10_000).fill({}))
}

export const leave = () => process.exit(1)

export const refuse = () => {
  throw new ToolError('invalid_input', 'The page is odd.', {
    issues: [{ path: 'url', message: 'must be even' }],
    cause: () => 'what cannot be sent',
  })
}

export const fail = () => {
  throw new RangeError('out of range')
}

export const unsendable = () => () => 1

export const throwFunction = () => {
  throw () => 1
}

/** Says that it has begun, and goes on when it is let: `gate` holds two numbers. */
export const hold = gate => {
  Atomics.add(gate, 0, 1)
  Atomics.notify(gate, 0)
  Atomics.wait(gate, 1, 0)
  return 'held'
}

export const holdHeavy = ({ gate }) => hold(gate)

export const never = () => new Promise(() => {})
