import type { CspPolicy, Directives } from './parse.ts'
import { type Problem, problem } from './problem.ts'
import { aboutScripts, isOpenHost } from './scripts.ts'
import {
  allLet,
  allowsEval,
  allowsInlineScript,
  allowsInlineStyle,
  broadSources,
  effective,
  insecureSources,
} from './sources.ts'

const aboutInsecure = (directives: Directives): Problem[] =>
  Object.entries(directives).flatMap(([name, list]) =>
    name.endsWith('-src')
      ? insecureSources(list).map(source =>
          problem(
            'medium',
            'insecure_source',
            name,
            `${source} is loaded without encryption.`,
            source.replace(/^http:/i, 'https:').replace(/^ws:/i, 'wss:'),
          ),
        )
      : [],
  )

const isUnrestricted = (policies: readonly CspPolicy[], name: string) =>
  allLet(policies, directives => effective(directives, name) === null)

const aboutGaps = (policies: readonly CspPolicy[]): Problem[] => {
  const problems: Problem[] = []
  if (isUnrestricted(policies, 'script-src'))
    problems.push(
      problem(
        'high',
        'no_script_rule',
        'script-src',
        'Nothing limits where scripts come from.',
        "script-src 'self'",
      ),
    )
  if (isUnrestricted(policies, 'object-src'))
    problems.push(
      problem(
        'medium',
        'no_object_rule',
        'object-src',
        'Nothing limits embedded objects.',
        "object-src 'none'",
      ),
    )
  if (isUnrestricted(policies, 'base-uri'))
    problems.push(
      problem(
        'medium',
        'no_base_rule',
        'base-uri',
        'An injected base element can redirect relative scripts; default-src does not cover it.',
        "base-uri 'none'",
      ),
    )
  if (isUnrestricted(policies, 'form-action'))
    problems.push(
      problem(
        'low',
        'no_form_rule',
        'form-action',
        'Forms may be sent anywhere; default-src does not cover it.',
        "form-action 'self'",
      ),
    )
  if (!policies.some(({ source, directives }) => source === 'header' && directives['frame-ancestors']))
    problems.push(
      problem(
        'low',
        'no_frame_rule',
        'frame-ancestors',
        'Nothing says who may frame the page; default-src does not cover it.',
        "frame-ancestors 'self'",
      ),
    )
  return problems
}

const aboutPolicy = ({ directives }: CspPolicy): Problem[] => {
  const scripts = effective(directives, 'script-src-elem')
  const styles = effective(directives, 'style-src')
  const problems = scripts === null ? [] : aboutScripts(scripts)
  if (styles !== null && allowsInlineStyle(styles))
    problems.push(
      problem(
        'low',
        'inline_style',
        'style-src',
        "'unsafe-inline' lets injected styles apply.",
        'use nonces or hashes for styles',
      ),
    )
  return [...problems, ...aboutInsecure(directives)]
}

const anyScripts = (directives: Directives) => {
  const list = effective(directives, 'script-src-elem')
  return list === null || broadSources(list).length > 0 || list.some(isOpenHost)
}

/** Weaknesses that another policy may close, and whether one policy leaves them open. */
const open: Readonly<Record<string, (directives: Directives) => boolean>> = {
  unsafe_inline: directives => allowsInlineScript(effective(directives, 'script-src-elem')),
  unsafe_eval: directives => allowsEval(effective(directives, 'script-src')),
  inline_style: directives => allowsInlineStyle(effective(directives, 'style-src')),
  broad_source: anyScripts,
  open_host: anyScripts,
}

/** Lists holes in the enforced policies together; one that another policy closes is none. */
export const weaknesses = (enforced: readonly CspPolicy[]): Problem[] => {
  if (enforced.length === 0) return []
  const stands = ({ code }: Problem) => allLet(enforced, open[code] ?? (() => true))
  return [...enforced.flatMap(aboutPolicy).filter(stands), ...aboutGaps(enforced)]
}
