import { expect, test } from 'vitest'
import { qrCode } from '../../web/paywall/paywall.ts'

/** Modules of a code by row, `#` for a dark one. */
const modulesIn = (svg: string): string[] => {
  const size = Number(/viewBox="0 0 (\d+)/.exec(svg)?.[1])
  const rows = Array.from({ length: size }, () => Array<string>(size).fill('.'))
  for (const [, x, y] of svg.matchAll(/M(\d+) (\d+)h1v1h-1z/g)) (rows[Number(y)] ?? [])[Number(x)] = '#'
  return rows.map(row => row.join(''))
}

test('a QR code has its three corners within a quiet border, and grows with its text', () => {
  const rows = modulesIn(qrCode('lightning:lnbcrt1', 'Invoice').html)
  const finder = ['#######', '#.....#', '#.###.#', '#.###.#', '#.###.#', '#.....#', '#######']
  const cut = (top: number, left: number) => rows.slice(top, top + 7).map(row => row.slice(left, left + 7))
  const far = rows.length - 4 - 7
  for (const [top, left] of [
    [4, 4],
    [4, far],
    [far, 4],
  ] as const)
    expect(cut(top, left)).toEqual(finder)
  expect(rows.slice(0, 4).join('')).not.toContain('#')
  expect(modulesIn(qrCode(`lightning:lnbcrt1${'q'.repeat(300)}`, 'Invoice').html).length).toBeGreaterThan(
    rows.length,
  )
})
