/**
 * Renders the reference page. It contains only a script, which reads the OpenAPI document. Everything comes from our
 * own origin.
 */

const configuration = {
  url: '/openapi.json',
  // No requests to other origins: no proxy, no fonts, no assistant, no statistics.
  proxyUrl: '',
  withDefaultFonts: false,
  agent: { disabled: true, hideAddApi: true },
  mcp: { disabled: true },
  telemetry: false,
  showDeveloperTools: 'never',
  hideClientButton: true,
  persistAuth: false,
  authentication: { preferredSecurityScheme: 'bearer' },
  orderSchemaPropertiesBy: 'preserve',
  documentDownloadType: 'json',
  defaultOpenFirstTag: true,
  metaData: { title: 'Tidemark API' },
}

/**
 * Returns the page.
 * @param script URL of the script
 */
export function referencePage(script: string): string {
  const settings = JSON.stringify(configuration).replaceAll('&', '&amp;').replaceAll('"', '&quot;')
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Tidemark API</title>
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <link rel="icon" href="data:,">
  </head>
  <body>
    <noscript>This page needs JavaScript. The same content is in <a href="/openapi.json">/openapi.json</a>.</noscript>
    <script id="api-reference" type="application/json" data-configuration="${settings}"></script>
    <script src="${script}"></script>
  </body>
</html>
`
}

/**
 * The content security policy of the page (W3C CSP 3): nothing from other origins. The script creates elements and
 * attributes with styles, so inline styles are allowed; they cannot send data.
 */
export const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'self'",
].join('; ')
