import { domainToUnicode } from 'node:url'
import { distance } from '../../../lib/text/distance.ts'
import { toLatin } from '../../../lib/text/skeleton.ts'
import { isFreeMailDomain } from './free.ts'

/** Domains that are mistyped most often, the commonest first. */
const targets =
  `gmail.com yahoo.com hotmail.com outlook.com icloud.com aol.com live.com msn.com ymail.com googlemail.com protonmail.com
  proton.me gmx.de web.de gmx.net t-online.de freenet.de mail.ru yandex.ru yandex.com qq.com 163.com 126.com naver.com hanmail.net
  yahoo.co.uk yahoo.co.in yahoo.co.jp yahoo.com.br yahoo.fr hotmail.co.uk hotmail.fr hotmail.it hotmail.es orange.fr wanadoo.fr
  laposte.net libero.it comcast.net verizon.net sbcglobal.net bellsouth.net btinternet.com rediffmail.com fastmail.com
  uol.com.br rocketmail.com`.split(/\s+/)

/** Domains of somebody's own that are close to one of them. */
const others = new Set(['cloud.com', 'mail.co', 'email.co', 'gmail.org', 'ahoo.com', 'maol.com'])

/** Names that only stand under one ending, so that any other ending is a slip. */
const single = new Set('gmail googlemail icloud ymail rocketmail rediffmail btinternet sbcglobal'.split(' '))

const rows = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm']

const isNeighbour = (first = '', second = ''): boolean => {
  const place = (key: string) =>
    rows.flatMap((row, y) => (row.includes(key) ? [[row.indexOf(key), y]] : []))[0]
  const [a, b] = [place(first), place(second)]
  if (!a || !b) return false
  return Math.abs((a[0] ?? 0) - (b[0] ?? 0)) <= 1 && Math.abs((a[1] ?? 0) - (b[1] ?? 0)) <= 1
}

const splitAt = (domain: string): [name: string, ending: string] => {
  const dot = domain.indexOf('.')
  return [domain.slice(0, dot), domain.slice(dot + 1)]
}

const sortLetters = (text: string) => [...text].sort().join('')

/** Short names are close to many others: only a swap of letters is a slip there. */
const isSlip = (name: string, target: string, steps: number): boolean => {
  if (steps === 0) return true
  if (target.length <= 4) return steps === 1 && sortLetters(name) === sortLetters(target)
  if (name[0] === target[0] || name === target.slice(1)) return true
  return steps === 1 && (isNeighbour(name[0], target[0]) || sortLetters(name) === sortLetters(target))
}

/** Look of an international name at a glance. */
const seenAs = (domain: string): string =>
  toLatin(domainToUnicode(domain).normalize('NFKD').replace(/\p{M}/gu, ''))

const maxLength = 30
const maxSteps = 2

/** The well-known mail domain that was most likely meant; null when it is one itself, or close to none. */
export const suggestDomain = (domain: string): string | null => {
  if (domain.length > maxLength || isFreeMailDomain(domain) || others.has(domain)) return null
  if (domain.includes('xn--')) return isFreeMailDomain(seenAs(domain)) ? seenAs(domain) : null
  const [name, ending] = splitAt(domain)
  if (single.has(name)) return `${name}.com`
  let best: { target: string; steps: number } | undefined
  for (const target of targets) {
    const [targetName, targetEnding] = splitAt(target)
    const nameSteps = distance(name, targetName, maxSteps)
    const steps = nameSteps + distance(ending, targetEnding, maxSteps)
    if (steps > maxSteps || (best && steps >= best.steps) || !isSlip(name, targetName, nameSteps)) continue
    best = { target, steps }
  }
  return best?.target ?? nameOnly(name)
}

/** A slip in the name of a mailbox provider under an ending that nobody knows. */
const nameOnly = (name: string): string | null => {
  if (name.length < 5) return null
  const target = [...single, 'hotmail', 'protonmail'].find(
    candidate => distance(name, candidate, 1) === 1 && isSlip(name, candidate, 1),
  )
  return target === undefined || name === 'email' ? null : `${target}.com`
}
