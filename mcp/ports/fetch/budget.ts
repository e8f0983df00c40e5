import ipaddr from 'ipaddr.js'
import { getDomain } from 'tldts'
import { targetLimit } from '../../lib/target-limit.ts'
import type { NamedBy } from './port.ts'

/** Requests a minute to one host and to one registrable domain, and new connections a minute to one address. */
export type BudgetLimits = { host: number; domain: number; address: number }

export const budgetLimits: BudgetLimits = { host: 240, domain: 480, address: 600 }

/** The part of a budget that pages may spend: what callers ask for themselves keeps the rest. */
const pageShare = 0.5

const windowMs = 60_000
const maxTargets = 100_000

/** An IPv4 address is itself; an IPv6 host has a whole /64 to answer from. */
const toHost = (address: string): string => {
  const parsed = ipaddr.process(address)
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join(':') : parsed.toString()
}

type Window = { used: number; ends: number }

/**
 * Counts what one process sends to each target, for all callers together, so that nobody is flooded through it: requests by
 * host and by registrable domain, and new connections by address, which many names may share. Fixed windows of a minute.
 */
export const openBudget = (limits: BudgetLimits, now: () => number) => {
  const windows = new Map<string, Window>()

  const windowAt = (key: string): Window => {
    const currentWindow = windows.get(key)
    if (currentWindow && currentWindow.ends > now()) return currentWindow
    const fresh = { used: 0, ends: now() + windowMs }
    windows.delete(key)
    windows.set(key, fresh)
    const [oldest] = windows.keys()
    if (windows.size > maxTargets && oldest !== undefined) windows.delete(oldest)
    return fresh
  }

  const check = (key: string, target: string, limit: number): Window => {
    const window = windowAt(key)
    if (window.used >= limit) {
      throw targetLimit(target, limit, Math.max(1, Math.ceil((window.ends - now()) / 1000)))
    }
    return window
  }

  return {
    /** Counts one request. The way back is for one that was answered without asking. Throws `too_many_requests`. */
    request({ hostname }: URL, namedBy: NamedBy): () => void {
      if (namedBy === 'operator') return () => undefined
      const share = namedBy === 'page' ? pageShare : 1
      const domain = getDomain(hostname) ?? hostname
      const spentWindows = [
        check(`host ${hostname}`, hostname, Math.floor(limits.host * share)),
        check(`domain ${domain}`, domain, Math.floor(limits.domain * share)),
      ]
      for (const window of spentWindows) window.used++
      return () => {
        for (const window of spentWindows) window.used--
      }
    },
    /** Counts one new connection to each of the addresses that are dialled. Throws `too_many_requests`. */
    connection(host: string, addresses: readonly string[]): void {
      const hosts = new Set(addresses.map(toHost))
      const spentWindows = Array.from(hosts, each => check(`address ${each}`, host, limits.address))
      for (const window of spentWindows) window.used++
    },
  }
}

export type TargetBudget = ReturnType<typeof openBudget>
