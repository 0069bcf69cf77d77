#!/usr/bin/env node
/** The MCP server as a program. Standard output belongs to the protocol, so all other text goes to standard error. */
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { openApi } from './api/api.ts'
import { readCommandLine, usage } from './command-line.ts'
import { createMcpServer } from './server.ts'

const settings = readCommandLine(process.argv.slice(2), process.env)
if (settings === null) process.stderr.write(usage)
else if (typeof settings === 'string') {
  process.stderr.write(`${settings} See tidemark-mcp --help.\n`)
  process.exitCode = 2
} else {
  const { toolSet, isTextOnly } = settings
  const report = (error: unknown) => process.stderr.write(`tidemark-mcp: ${(error as Error).message}\n`)
  const api = openApi({ ...settings, fetch })
  serveStdio(() => createMcpServer({ api, toolSet, isTextOnly, report }), { onerror: report })
}
