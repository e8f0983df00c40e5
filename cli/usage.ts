/** Each command with its arguments, what it does, and its options. */
export const usages: Readonly<Record<string, { line: string; summary: string; options: readonly string[] }>> =
  {
    serve: {
      line: 'serve [service]',
      summary: 'serve all eight services, or one at the root of its port',
      options: [
        '--port n        listen there instead of at PORT',
        '--conformance   serve what the conformance suite of MCP calls, too, at /conformance',
      ],
    },
    list: { line: 'list [service]', summary: 'the tools, with prices', options: [] },
    call: {
      line: 'call <service>.<tool> [input]',
      summary: 'call a tool; input as JSON or key=value …',
      options: [
        '--url base      the server to ask; default: the one that runs here, else this process',
        '--key key       a credential: a Bearer or an API key, as the tool takes it',
        '--pay           pay what it costs (up to $1) with PRIVATE_KEY, or with the demo wallet of the local chains',
        '--max usd       pay up to so much instead',
      ],
    },
    connect: {
      line: 'connect <url>',
      summary:
        'an MCP server on stdin and stdout that forwards to one at <url>, and pays what its tools cost',
      options: [
        '--budget usd    what it may pay in any 24 hours; default: 1.00',
        '--per-call usd  what one call may cost; default: 0.05',
        '--total usd     what it may ever pay; default: no such limit',
        '--network names real networks that it may pay on, between commas; default: none, the local chains only',
        '--key key       a bearer for the server; better in OCTAGENT_CONNECT_KEY, which no list of processes shows',
      ],
    },
    wallet: {
      line: 'wallet',
      summary: 'the address that connect pays from; makes the wallet on first use',
      options: [],
    },
    limits: {
      line: 'limits',
      summary: 'what connect may pay; with options, changes it for those that run, too',
      options: [
        '--budget usd    in any 24 hours',
        '--per-call usd  for one call',
        '--total usd     ever; none takes it away',
        '--network names real networks, between commas, such as base; none takes them away',
      ],
    },
    spent: {
      line: 'spent',
      summary: 'what connect has paid, and for what',
      options: ['--release id    give a payment back to the budget that has ended without moving money'],
    },
    publish: {
      line: 'publish [service]',
      summary: 'the server.json of this installation, for registries of MCP servers',
      options: ['--check         whether all are served as they are written, and answer; 1 if not'],
    },
    doctor: {
      line: 'doctor',
      summary: 'what is wrong, set, missing and reachable, and which tools are off',
      options: [],
    },
    demo: {
      line: 'demo [money|tasks]',
      summary:
        'start on local chains, and pay for a feed; or bridge, buy without gas, and show a vault; or hire a person',
      options: [],
    },
    owed: { line: 'owed', summary: 'paid calls whose work was not done', options: [] },
    refund: {
      line: 'refund <id>',
      summary: 'give one of them back',
      options: [
        '--to where      where the payer wants it',
        '--served        one that was answered, or whose money its service follows elsewhere',
      ],
    },
    owe: {
      line: 'owe <transfer>',
      summary: 'make a transfer to the till that nothing explains owed to who sent it',
      options: ['--own           it is your own money instead, such as a deposit'],
    },
    sales: {
      line: 'sales',
      summary: 'the books: every settled payment, with its worth in dollars at the stated rate',
      options: [
        '--from day      2026-11-01, in UTC; default: all',
        '--to day        up to its begin',
        '--csv           as comma-separated values',
      ],
    },
    audit: {
      line: 'audit',
      summary: 'whether ledger, payments and chains agree; 1 if not, 3 if a chain was silent',
      options: ['--no-chain      ask no chain'],
    },
    migrate: {
      line: 'migrate --from <store> --to <store>',
      summary: 'move all state from a data folder to PostgreSQL, or back, while it goes on being read',
      options: [
        '--from store    where it lies: a data folder, a postgres:// address, or DATABASE_URL for the one in the environment',
        '--to store      where it goes: the same; it must be empty',
      ],
    },
    backup: {
      line: 'backup --to <folder>',
      summary: 'copy store, secrets and files while the server goes on, and read the copy back',
      options: ['--to folder     one that does not exist yet'],
    },
    restore: {
      line: 'restore --from <folder>',
      summary: 'put a backup where OCTAGENT_DATA or DATABASE_URL says; nothing may be there',
      options: ['--from folder   what octagent backup made'],
    },
    accounts: {
      line: 'accounts [export|delete <id>]',
      summary: 'how many people have accounts; all that is stored about one, or its end',
      options: [],
    },
    sandbox: {
      line: 'sandbox install',
      summary: 'put numpy, pandas and scipy where code of callers can import them',
      options: [],
    },
    'verify-proof': {
      line: 'verify-proof <file>',
      summary: 'whether a signed proof holds, without a network; 1 if not',
      options: [
        '--keys file     /.well-known/verifier-keys.json of the issuer, got over a channel you trust',
        '--artifact hash SHA-256 of what it must be about',
        '--page          print the page that verifies in a browser, to save it',
      ],
    },
    'verify-history': {
      line: 'verify-history <file>',
      summary: 'whether the downloaded history of a task is whole, without a network; 1 if not',
      options: ['--keys file     /tasks/.well-known/jwks.json of the house, got over a channel you trust'],
    },
    'pay-invoice': {
      line: 'pay-invoice <invoice>',
      summary: 'pay an invoice of the local Lightning node; prints the preimage',
      options: [],
    },
    'verify-record': {
      line: 'verify-record <url|file>',
      summary: 'recompute a forecasting record from its public entries; 1 if anything does not follow',
      options: [
        '--key base64    the public key that must have signed it; default: the one it names',
        '--save file     keep what was read, to check it again without a network',
      ],
    },
    backtest: {
      line: 'backtest <file> [resolutions]',
      summary: 'what forms would have scored on resolved questions',
      options: [
        '--source name   where the questions are from',
        '--licence name  their licence',
        '--fit           fit the numbers of the forms on the earlier half, and print them',
      ],
    },
    completions: { line: 'completions bash|zsh|fish', summary: 'shell completions', options: [] },
    docs: { line: 'docs', summary: 'write .env.example and docs/configuration.md', options: [] },
  }

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
