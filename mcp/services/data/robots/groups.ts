import type { RobotsDirective } from './directive.ts'
import { fromBinaryString } from './line.ts'

export type RobotsRule = { type: 'allow' | 'disallow'; path: string; line: number }

/** Crawlers that are named together, and the rules that follow. `line` is where the group begins. */
export type RobotsGroup = {
  user_agents: string[]
  rules: RobotsRule[]
  crawl_delay: number | null
  line: number
}

export type Fault = { line: number; code: string; message: string }

const secondsIn = (value: string): number | null =>
  /^\d{1,6}(?:\.\d{1,6})?$/.test(value) ? Number(value) : null

/** The groups in the order of the file, and what is wrong with their order. Groups of one name are not merged here. */
export const toGroups = (
  directives: readonly RobotsDirective[],
): { groups: RobotsGroup[]; errors: Fault[] } => {
  const groups: RobotsGroup[] = []
  const errors: Fault[] = []
  let group: RobotsGroup | undefined
  for (const { field, name, value, line } of directives) {
    const type = field === 'other' ? name.toLowerCase() : field
    if (type === 'user-agent') {
      if (!group || group.rules.length > 0) {
        group = { user_agents: [], rules: [], crawl_delay: null, line }
        groups.push(group)
      } else if (group.crawl_delay !== null) {
        const message = 'Only allow and disallow end a list of crawlers: this one joins the group above.'
        errors.push({ line, code: 'group_not_ended', message })
      }
      group.user_agents.push(fromBinaryString(value))
    }
    if (type === 'allow' || type === 'disallow') {
      if (group) group.rules.push({ type, path: fromBinaryString(value), line })
      else
        errors.push({
          line,
          code: 'rule_outside_group',
          message: 'No user-agent line stands above this rule.',
        })
    }
    if (type === 'crawl-delay' && group) group.crawl_delay ??= secondsIn(value)
  }
  return { groups, errors }
}
