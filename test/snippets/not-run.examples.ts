/**
 * Code blocks that the test of the documents does not run, with the reason or the test that covers them. A name is a
 * document, a document and a heading, or a document and the first line of a block.
 */
export const notRun: Readonly<Record<string, string>> = {
  'README.md#Two commands': 'test/e2e/npm-start.test.ts runs npm start',
  'clients/cli/README.md#Tidemark on the command line':
    'test/e2e/clients.test.ts installs the package and runs it',
  'docs/python.md#Install': 'clients/python/python-sdk.test.ts builds and installs the wheel',
  'docs/python.md#LangChain and LlamaIndex':
    'clients/python/tests/test_loaders.py; the packages are not here',
  'clients/conformance/README.md#A case': 'both clients read the files that it describes',
  'docs/benchmarks.md': 'test/bench/bench.test.ts runs a small one',
  'docs/api/cloud.md: curl -s -X POST "$BASE/v1/cloud/fetch/pypi.org/project/requests" -H "Authorization: Bearer $KEY"':
    'services/extractor/domain/scrapers/scrapers.test.ts reads pages of this form; the public site is not here',
  'docs/api/crawl.md#Retry what failed': 'test/e2e/killed-work.test.ts has a crawl with failed URLs',
  'docs/api/monitor.md#Wait for one change':
    'test/e2e/monitor-noise.test.ts has a language model; the installation of these examples has none',
  'docs/api/read.md#Read a stored crawl again':
    'services/extractor/replay.test.ts has pages that differ; those of these examples do not',
  'docs/api/scan.md#Missing values by a language model':
    'services/extractor/model.test.ts has a language model; the installation of these examples has none',
  'docs/deploying.md':
    'deploy/image.test.ts and deploy/cluster/cluster.test.ts check images and manifests; a cluster is not here',
  'docs/evidence.md#Time-stamps':
    'test/e2e/evidence.test.ts has an authority; the installation of these examples has none',
  'docs/evidence.md#Set an authority': 'test/e2e/evidence.test.ts starts a system with this setting',
  'docs/mcp.md#Set up an agent':
    'test/e2e/mcp.test.ts connects over both transports; the agents are not here',
  'docs/operating.md': 'it starts a system with the servers and payments of an operator',
  'docs/operator.md': 'test/e2e/operations.test.ts reads the overview with the key of its installation',
  'docs/signed-requests.md':
    'test/e2e/signed-requests.test.ts starts a system with these settings and verifies its requests',
  'docs/quickstart.md: npm start': 'test/e2e/npm-start.test.ts runs npm start',
}
