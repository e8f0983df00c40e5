import { directivesIn, parseRobotsLines } from './directive.ts'
import { toBinaryString } from './line.ts'
import { findPath } from './pattern.ts'
import { rulingOn } from './ruling.ts'

/**
 * May a crawler with this product token fetch a URL? Reads and matches as Google's crawler does (RFC 9309). The URL is
 * compared as it is: percent-encode it first.
 */
export const isAllowed = (robotsTxt: string | Uint8Array, userAgent: string, url: string): boolean =>
  rulingOn(directivesIn(parseRobotsLines(robotsTxt)), findPath(toBinaryString(url)))(userAgent).allowed
