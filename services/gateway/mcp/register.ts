/** Registers the MCP server of the gateway. */
import type { App } from '../app.ts'
import { type McpPorts, mcpRoutes } from './mcp.ts'

/** Call it within the scope that requires a key. */
export function registerMcp(app: App, ports: McpPorts): void {
  mcpRoutes(app, ports)
}
