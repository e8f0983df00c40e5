import type { Hex } from 'viem'
import { getAddress } from 'viem'

/** Bytes of code in hex. */
export const codeSize = (code: Hex): number => (code.length - 2) / 2

/** The address in the last 20 bytes of a word; null for zero and for words that hold something else. */
export const addressIn = (word: string | null): Hex | null => {
  const digits = /^0x0{24}([0-9a-f]{40})$/i.exec(word ?? '')?.[1]
  return digits === undefined || /^0+$/.test(digits) ? null : getAddress(`0x${digits}`)
}

/** Parses a wallet's delegate: its code is a pointer of 23 bytes (EIP-7702). */
export const parseDelegate = (code: Hex): Hex | null => {
  const digits = /^0xef0100([0-9a-f]{40})$/i.exec(code)?.[1]
  return digits === undefined ? null : getAddress(`0x${digits}`)
}

/** Minimal proxies carry the address in their code: that of EIP-1167, those with fewer leading zeros or PUSH0, and kin. */
const minimal = [
  /^0x363d3d373d3d3d363d73([0-9a-f]{40})5af4/i,
  /^0x365f5f375f5f365f73([0-9a-f]{40})5af4/i,
  /^0x3d3d3d3d363d3d37363d73([0-9a-f]{40})5af4/i,
  /^0x366000600037611000600036600073([0-9a-f]{40})5af4/i,
  /^0x36600080376020600036600073([0-9a-f]{40})5af4/i,
]

const vanity = /^0x363d3d373d3d3d363d(6f|7[0-2])([0-9a-f]+)$/i

/** Parses a minimal proxy's target; null for other code. */
export const parseClone = (code: Hex): Hex | null => {
  for (const shape of minimal) {
    const digits = shape.exec(code)?.[1]
    if (digits !== undefined) return getAddress(`0x${digits}`)
  }
  const [, push, rest = ''] = vanity.exec(code) ?? []
  const length = (Number.parseInt(push ?? '', 16) - 0x5f) * 2
  return rest.slice(length, length + 4) === '5af4'
    ? getAddress(`0x${rest.slice(0, length).padStart(40, '0')}`)
    : null
}

/** False for code without the opcode DELEGATECALL: it can be no proxy. */
export const mayDelegate = (code: Hex): boolean => /^0x(?:[0-9a-f]{2})*?f4/i.test(code)
