import facts from './data/usages.json' with { type: 'json' }

/** Each command with its arguments, what it does, and its options. */
export const usages: Readonly<Record<string, { line: string; summary: string; options: readonly string[] }>> =
  facts

const common = [
  '--json          answer as JSON',
  '--help          this text',
  '--version       the version of Octagent',
]

/** The whole usage, or that of one command. */
export const usageText = (command?: string): string => {
  const usage = command === undefined ? undefined : usages[command]
  if (usage)
    return `Usage: octagent ${usage.line}

  ${usage.summary}

${[...usage.options, ...common].map(option => `  ${option}`).join('\n')}`
  return `Usage: octagent <command>

${Object.values(usages)
  .map(({ line, summary }) => `  ${line.padEnd(32)} ${summary}`)
  .join('\n')}

${common.map(option => `  ${option}`).join('\n')}

octagent <command> --help tells more. docs/configuration.md lists the environment variables.`
}
