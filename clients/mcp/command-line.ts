/** The settings of the MCP server over stdio, from its command line and environment. */
import { parseArgs } from 'node:util'
import { type ToolSetName, toolSets } from './tools/table.ts'

export type Settings = { apiKey: string; baseUrl: string; toolSet: ToolSetName; isTextOnly: boolean }

export const usage = `Usage: tidemark-mcp [--tools default|all] [--text-only] [--base-url URL]

Serves the Model Context Protocol on standard input and output.

  --tools all     adds tools for monitors, actors, lists of crawls and the account
  --text-only     answers have text only, without structuredContent: page texts can be twice as long
  --base-url URL  address of the Tidemark API. Default: TIDEMARK_BASE_URL, then http://127.0.0.1:8080

TIDEMARK_API_KEY is the API key. It is read from the environment only, because command lines are visible to others.

Example: TIDEMARK_API_KEY=tmk_… tidemark-mcp --base-url https://api.example.com
`

/** Returns the settings, or a sentence that explains the fault; null: `--help` requests the usage. */
export function readCommandLine(args: string[], env: NodeJS.ProcessEnv): Settings | string | null {
  const options = {
    tools: { type: 'string', default: 'default' },
    'text-only': { type: 'boolean', default: false },
    'base-url': { type: 'string', default: env.TIDEMARK_BASE_URL || 'http://127.0.0.1:8080' },
    help: { type: 'boolean', short: 'h', default: false },
  } as const
  try {
    const { values } = parseArgs({ args, options })
    if (values.help) return null
    const toolSet = toolSets.find(set => set === values.tools)
    if (toolSet === undefined) return `--tools must be ${toolSets.join(' or ')}, not ${values.tools}.`
    const baseUrl = values['base-url']
    const url = URL.parse(baseUrl)
    if (!/^https?:$/.test(url?.protocol ?? ''))
      return `--base-url must be an http or https URL, not ${JSON.stringify(baseUrl)}.`
    if (url?.username || url?.password) return '--base-url must not have a user or a password.'
    const apiKey = env.TIDEMARK_API_KEY?.trim() ?? ''
    if (!/^tmk_\w+$/.test(apiKey)) return 'Set TIDEMARK_API_KEY to an API key, which begins with tmk_.'
    return { apiKey, baseUrl, toolSet, isTextOnly: values['text-only'] }
  } catch (error) {
    return (error as Error).message
  }
}
