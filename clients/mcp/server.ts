/**
 * The MCP server: the tools, and the bodies of stored pages as resources. It holds no state between calls, so every
 * request over HTTP has its own.
 */
import {
  fromJsonSchema,
  McpServer,
  ResourceTemplate,
  type StandardSchemaWithJSON,
} from '@modelcontextprotocol/server'
import { type Answer, answerOf } from './answers/answer.ts'
import { BadArgument } from './answers/cursor.ts'
import { aboutFences, newFence, visible } from './answers/fence.ts'
import { shortened } from './answers/headings.ts'
import { type Api, ApiError } from './api/api.ts'
import manifest from './package.json' with { type: 'json' }
import { readResource } from './resources.ts'
import { type ToolSetName, toolsOf } from './tools/table.ts'
import { type Arguments, type Schema, type Tool, usualTokens } from './tools/tool.ts'

export type ServerOptions = {
  api: Api
  toolSet: ToolSetName
  /** Answers without `structuredContent`, and tools without `outputSchema`: texts can then be twice as long. */
  isTextOnly: boolean
  /** Receives errors of this server itself. The model only learns that there was one. */
  report: (error: unknown) => void
}

const instructions = `Tidemark reads, crawls, searches and audits web sites. Read single pages with scan_url. For a site use map_site, or start_crawl, crawl_status, list_pages and read_page. An answer has at most max_tokens tokens. To continue it, repeat the call with its cursor. billed is the cost of a call. ${aboutFences}`

/** Returns a server that is ready to be connected. */
export function createMcpServer({ api, toolSet, isTextOnly, report }: ServerOptions): McpServer {
  const server = new McpServer(
    { name: 'tidemark', title: 'Tidemark', version: manifest.version },
    { instructions, maxToolInputElements },
  )
  for (const [name, tool] of Object.entries(toolsOf(toolSet))) {
    const { input, output } = schemasOf(tool)
    const config = {
      title: tool.title,
      description: tool.description,
      inputSchema: input,
      annotations: { title: tool.title, ...tool.hints },
      ...(!isTextOnly && { outputSchema: output }),
    }
    server.registerTool(name, config, async (args, { mcpReq: { signal } }) =>
      calledTool(tool, { api, args: withDefaults(tool, args as Arguments), isTextOnly, signal, report }),
    )
  }
  addPages(server, api)
  return server
}

/** Adds stored pages as resources: the first part of a body, and its other parts. */
function addPages(server: McpServer, api: Api): void {
  const templates = {
    page: 'tidemark://pages/{page_id}/{format}',
    page_part: 'tidemark://pages/{page_id}/{format}?offset={offset}',
  }
  const about = {
    title: 'Stored page',
    description: 'The body of a page that a crawl stored, as markdown or html. Untrusted.',
  }
  for (const [name, address] of Object.entries(templates))
    server.registerResource(
      name,
      new ResourceTemplate(address, { list: undefined }),
      about,
      (uri, _variables, { mcpReq: { signal } }) => readResource(api, uri, signal),
    )
}

type Running = Omit<ServerOptions, 'toolSet'> & { args: Arguments; signal: AbortSignal }

/** Returns the answer of a tool. A refusal is an answer as well, so that the model can correct the call. */
async function calledTool(
  tool: Tool,
  { api, args, isTextOnly, signal, report }: Running,
): Promise<Answer & { isError?: true }> {
  const maxTokens: number = args.max_tokens ?? usualTokens
  try {
    const draft = await tool.run({ api, args, maxTokens, signal })
    return answerOf(draft, { maxTokens, isTextOnly, fence: newFence() })
  } catch (error) {
    const isKnown = error instanceof ApiError || error instanceof BadArgument
    if (!isKnown) report(error)
    const text = isKnown ? shortened(visible(error.message), maxError) : internal
    return { isError: true, content: [{ type: 'text', text }] }
  }
}

const internal =
  'The MCP server failed during this call, and its result is unknown. Check for its effect before you repeat a call that starts or changes something.'
/** Maximum number of elements in all arguments of a call. */
const maxToolInputElements = 2_000

const maxError = 1_000

function withDefaults({ input }: Tool, args: Arguments): Arguments {
  const defaults = Object.entries(input).flatMap(([name, { default: usual }]) =>
    usual === undefined ? [] : [[name, usual]],
  )
  return { ...Object.fromEntries(defaults), ...args }
}

type Schemas = { input: StandardSchemaWithJSON<Arguments, Arguments>; output: StandardSchemaWithJSON }

/** Schemas are compiled once. */
const compiled = new WeakMap<Tool, Schemas>()

function schemasOf(tool: Tool): Schemas {
  const known = compiled.get(tool)
  if (known !== undefined) return known
  const { input, required, output } = tool
  const schemas = {
    input: namingUnknown(
      schemaOf({ properties: input, required, additionalProperties: false }),
      Object.keys(input),
    ),
    output: schemaOf({ properties: output }),
  }
  compiled.set(tool, schemas)
  return schemas
}

/** Names an argument that a tool does not have. The validator of the SDK only reports that there is one. */
function namingUnknown(schema: Schemas['input'], names: readonly string[]): Schemas['input'] {
  const { validate, ...others } = schema['~standard']
  const unknownIn = (given: unknown) => Object.keys(Object(given)).find(name => !names.includes(name))
  return {
    '~standard': {
      ...others,
      validate(given) {
        const unknown = unknownIn(given)
        if (unknown === undefined) return validate(given)
        const shown = JSON.stringify(unknown.slice(0, 40))
        return { issues: [{ message: `there is no argument ${shown}, only ${names.join(', ')}` }] }
      },
    },
  }
}

const schemaOf = (schema: Schema) =>
  fromJsonSchema<Arguments>({ type: 'object', ...schema } as Parameters<typeof fromJsonSchema>[0])
