import type { Hex } from '../action.ts'
import { type Call, isSame, lower } from '../scene.ts'
import type { Reading } from './functions.ts'
import { type KnownFunction, knownFunction } from './functions.ts'

type Inner = { to: string; value: bigint; data: string }

const followAll = (calls: readonly Inner[], by: Call, { follow }: Reading) => {
  for (const [index, { to, value, data }] of calls.entries())
    follow({ to, value, data: data as Hex, from: by.to, path: `${by.path}.calls[${index}]` }, by)
}

/** Libraries of Safe that run a list of calls by delegatecall. */
const multiSends = [
  '0x40a2accbd92bca938b02010e17a5b8929b49130d',
  '0x9641d764fc13c8b624c04430c7356c1c7c8102e2',
  '0xa238cbeb142c10ef7ad8442c6d1f9e89e07e7761',
  '0x38869bf66a61cf6bdb996a6ae40d5853fd43b526',
]

/** Calls of MultiSend: operation (1 byte), to (20), value (32), length (32), data, one behind the other. */
const readMultiSend = (packed: string, call: Call, reading: Reading) => {
  const bytes = Buffer.from(packed.slice(2), 'hex')
  for (let at = 0, index = 0; at < bytes.length; index++) {
    const path = `${call.path}.transactions[${index}]`
    const length =
      at + 85 <= bytes.length ? BigInt(`0x${bytes.subarray(at + 53, at + 85).toString('hex')}`) : -1n
    if (length < 0n || BigInt(at + 85) + length > BigInt(bytes.length)) {
      reading.scene.problems.push(`The list at ${call.path} breaks off.`)
      return
    }
    const end = at + 85 + Number(length)
    const to = `0x${bytes.subarray(at + 1, at + 21).toString('hex')}`
    const value = BigInt(`0x${bytes.subarray(at + 21, at + 53).toString('hex')}`)
    if (bytes[at] === 1) reading.scene.controls.push({ what: 'delegatecall', to: lower(to), path })
    reading.follow(
      { to, value, data: `0x${bytes.subarray(at + 85, end).toString('hex')}`, from: call.from, path },
      call,
    )
    at = end
  }
}

/** Executions of smart accounts (ERC-4337, ERC-7579, Safe) and of contracts that make several calls. */
export const accountFunctions: readonly KnownFunction[] = [
  knownFunction('execute', 'address dest, uint256 value, bytes func', ([to, value, data], call, reading) =>
    followAll([{ to, value, data }], call, reading),
  ),
  knownFunction('executeBatch', 'address[] dest, bytes[] func', ([to, data], call, reading) =>
    followAll(
      to.map((one, index) => ({ to: one, value: 0n, data: data[index] ?? '0x' })),
      call,
      reading,
    ),
  ),
  knownFunction(
    'executeBatch',
    'address[] dest, uint256[] value, bytes[] func',
    ([to, value, data], call, reading) =>
      followAll(
        to.map((one, index) => ({ to: one, value: value[index] ?? 0n, data: data[index] ?? '0x' })),
        call,
        reading,
      ),
  ),
  knownFunction(
    'executeBatch',
    '(address target, uint256 value, bytes data)[] calls',
    ([calls], call, reading) =>
      followAll(
        calls.map(({ target: to, value, data }) => ({ to, value, data })),
        call,
        reading,
      ),
  ),
  knownFunction('execute', 'bytes32 mode, bytes executionCalldata', ([mode, packed], call, reading) => {
    const kind = mode.slice(2, 4)
    if (kind === '00' && packed.length >= 2 + 104)
      return followAll(
        [
          {
            to: `0x${packed.slice(2, 42)}`,
            value: BigInt(`0x${packed.slice(42, 106)}`),
            data: `0x${packed.slice(106)}`,
          },
        ],
        call,
        reading,
      )
    if (kind === 'ff')
      reading.scene.controls.push({ what: 'delegatecall', to: lower(packed.slice(0, 42)), path: call.path })
    else
      reading.scene.unknowns.push({
        what: 'is a batch whose calls are not read',
        selector: call.data.slice(0, 10),
        to: call.to,
        path: call.path,
        isTop: call.depth === 0,
      })
  }),
  knownFunction(
    'execTransaction',
    'address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures',
    ([to, value, data, operation], call, reading) => {
      if (operation === 1 && !multiSends.some(one => isSame(one, to)))
        reading.scene.controls.push({ what: 'delegatecall', to: lower(to), path: call.path })
      followAll([{ to, value, data }], call, reading)
    },
  ),
  knownFunction('multiSend', 'bytes transactions', ([packed], call, reading) =>
    readMultiSend(packed, call, reading),
  ),
  knownFunction(
    'aggregate3',
    '(address target, bool allowFailure, bytes callData)[] calls',
    ([calls], call, reading) =>
      followAll(
        calls.map(({ target: to, callData: data }) => ({ to, value: 0n, data })),
        call,
        reading,
      ),
  ),
  knownFunction(
    'aggregate3Value',
    '(address target, bool allowFailure, uint256 value, bytes callData)[] calls',
    ([calls], call, reading) =>
      followAll(
        calls.map(({ target: to, value, callData: data }) => ({ to, value, data })),
        call,
        reading,
      ),
  ),
  knownFunction('aggregate', '(address target, bytes callData)[] calls', ([calls], call, reading) =>
    followAll(
      calls.map(({ target: to, callData: data }) => ({ to, value: 0n, data })),
      call,
      reading,
    ),
  ),
  knownFunction(
    'tryAggregate',
    'bool requireSuccess, (address target, bytes callData)[] calls',
    ([, calls], call, reading) =>
      followAll(
        calls.map(({ target: to, callData: data }) => ({ to, value: 0n, data })),
        call,
        reading,
      ),
  ),
]
