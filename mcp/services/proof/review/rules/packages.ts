/** Names that many install, whose misspellings are registered by others. */
const popular = {
  npm: 'express react react-dom lodash axios moment chalk commander webpack typescript eslint prettier jest mocha vitest next vue angular svelte redux dotenv mongoose sequelize prisma socket.io request async underscore jquery bootstrap tailwindcss postcss babel rollup esbuild vite nodemon bcrypt jsonwebtoken passport cors body-parser helmet winston pino uuid dayjs date-fns rxjs ethers web3 viem wagmi hardhat puppeteer playwright cypress cross-env rimraf glob yargs inquirer semver electron discord.js cheerio colors debug minimist zod undici fastify'.split(
    ' ',
  ),
  pypi: 'requests numpy pandas scipy matplotlib django flask fastapi sqlalchemy pytest boto3 botocore urllib3 setuptools cryptography pyyaml pillow tensorflow torch transformers scikit-learn beautifulsoup4 selenium celery redis psycopg2 pydantic aiohttp httpx jinja2 click tqdm openai anthropic langchain web3 colorama python-dateutil paramiko ansible jupyter black mypy ruff uvicorn gunicorn starlette rich typer'.split(
    ' ',
  ),
} as const

/** Misspellings that have been used, further away than one letter. */
const notorious: Readonly<Record<string, string>> = {
  crossenv: 'cross-env',
  'cross-env.js': 'cross-env',
  mongose: 'mongoose',
  jeIlyfish: 'jellyfish',
  'python3-dateutil': 'python-dateutil',
  python_dateutils: 'python-dateutil',
  djanga: 'django',
  'discord.dll': 'discord.js',
  electorn: 'electron',
  bs4py: 'beautifulsoup4',
  reqeusts: 'requests',
  'event-streem': 'event-stream',
  loadsh: 'lodash',
}

const one = (a: string, b: string): boolean => {
  if (Math.abs(a.length - b.length) > 1) return false
  let from = 0
  while (from < a.length && from < b.length && a[from] === b[from]) from++
  let [endA, endB] = [a.length, b.length]
  while (endA > from && endB > from && a[endA - 1] === b[endB - 1]) {
    endA--
    endB--
  }
  const [restA, restB] = [a.slice(from, endA), b.slice(from, endB)]
  if (restA.length <= 1 && restB.length <= 1) return true
  return restA.length === 2 && restB.length === 2 && restA[0] === restB[1] && restA[1] === restB[0]
}

/** Names that are near a popular one and their own. */
const honest = new Set([
  'preact',
  'reacts',
  'chalks',
  'pandas2',
  'vitepress',
  'viem',
  'vite',
  'jest',
  'rest',
  'nuxt',
  'next',
  'redis',
  'redux',
  'torch',
  'click',
  'rich',
  'ruff',
  'pinot',
  'pino',
  'zod',
  'cors',
  'color',
  'colors',
  'black',
  'typer',
  'axios',
  'globs',
  'globe',
  'async',
  'debug',
  'mocha',
  'vue',
  'uuid',
  'request',
  'requests',
  'web3',
  'boto',
  'boto3',
  'celery',
  'httpx',
  'http',
  'flash',
  'react',
  'flask',
  'babel',
  'label',
  'glob',
  'pytest',
  'mypy',
  'numba',
  'pug',
  'got',
  'scapy',
  'scipy',
  'numpy',
  'black',
  'ink',
  'vitest',
  'eslint',
  'tslint',
  'moments',
  'jinja',
  'jinja2',
  'psycopg',
  'psycopg2',
  'psycopg3',
  'prisma',
  'prism',
  'wagmi',
  'pydantic',
  'openai',
  'sequelize',
  'semver',
  'electron',
  'ethers',
  'esbuild',
  'rollup',
  'commander',
  'fastify',
  'fastapi',
  'chalk',
])

/** The popular package that a name is one letter away from; undefined for a name of its own. */
export const isTyposquat = (word: string, ecosystem: 'npm' | 'pypi'): string | undefined => {
  const name = word.startsWith('@') ? word : (word.split(/[@=<>~![]/)[0] ?? '')
  if (Object.hasOwn(notorious, name)) return notorious[name]
  if (name.startsWith('@') || name.length < 5 || honest.has(name) || /[/.:]/.test(name.replace(/\.js$/, '')))
    return undefined
  const names: readonly string[] = popular[ecosystem]
  if (names.includes(name)) return undefined
  return names.find(other => other.length >= 5 && one(name, other))
}
