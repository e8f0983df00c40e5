import { execFileSync } from 'node:child_process'
import { type Browser, chromium } from 'playwright-core'
import { describe, inject } from 'vitest'
import { canPay } from '../payment/evm-chain.ts'
import type {} from '../store/database.ts'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

const onPath = (name: string): string | undefined => {
  try {
    return execFileSync('which', [name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return undefined
  }
}

const binary = process.env.CHROMIUM || names.map(onPath).find(path => path !== undefined)

if (!binary) console.warn('\n!!! THE TESTS IN A BROWSER ARE SKIPPED: no Chromium on PATH or in CHROMIUM\n')

/** Tests that need a Chromium and a local chain: without them they are loudly skipped. */
export const inBrowser = describe.skipIf(!binary || !canPay)

/** A connection to the one Chromium of this run; closing it ends its contexts. */
export const openBrowser = async (): Promise<Browser> => {
  const response = await fetch(`${inject('shared')}/browser?path=${encodeURIComponent(binary ?? '')}`)
  const address = await response.text()
  if (!response.ok) throw new Error(address)
  return chromium.connect(address)
}
