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
          problem('insecure_source', name, {
            source,
            secure: source.replace(/^http:/i, 'https:').replace(/^ws:/i, 'wss:'),
          }),
        )
      : [],
  )

/** What nothing limits where no policy has a rule for it. */
const gaps = {
  'script-src': 'no_script_rule',
  'object-src': 'no_object_rule',
  'base-uri': 'no_base_rule',
  'form-action': 'no_form_rule',
}

const aboutGaps = (policies: readonly CspPolicy[]): Problem[] => {
  const unlimited = Object.entries(gaps).filter(([name]) =>
    allLet(policies, directives => effective(directives, name) === null),
  )
  const isFramed = policies.some(
    ({ source, directives }) => source === 'header' && directives['frame-ancestors'],
  )
  return [...unlimited.map(([, code]) => problem(code)), ...(isFramed ? [] : [problem('no_frame_rule')])]
}

const aboutPolicy = ({ directives }: CspPolicy): Problem[] => {
  const scripts = effective(directives, 'script-src-elem')
  const styles = effective(directives, 'style-src')
  return [
    ...(scripts === null ? [] : aboutScripts(scripts)),
    ...(styles !== null && allowsInlineStyle(styles) ? [problem('inline_style')] : []),
    ...aboutInsecure(directives),
  ]
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
