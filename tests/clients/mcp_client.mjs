// Ask an MCP server as the TypeScript SDK does, and print what came back as JSON.
// Usage: node mcp_client.mjs '{"url": …}' or '{"command": …, "args": […], "cwd": …, "env": {…}}'
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const server = JSON.parse(process.argv[2]);
const transport = server.url
  ? new StreamableHTTPClientTransport(new URL(server.url))
  : new StdioClientTransport(server);
const client = new Client({ name: 'typescript', version: '1' });
await client.connect(transport);

const told = {};
told.server = client.getServerVersion();
told.ping = await client.ping();
told.tools = (await client.listTools()).tools;
const call = (name, args, options) => client.callTool({ name, arguments: args }, undefined, options);
told.found = await call('search_lessons', { query: 'late subscribers', limit: 2 });
told.lessons = await call('list_lessons', {});
told.read = await call('read_lesson', { reference: told.found.structuredContent.results[0].source_file });
const steps = [];
// The SDK drops the steps that it reads in one piece with the answer, as it may on a busy machine.
for (let tries = 0; tries < 10 && !steps.length; tries += 1) {
  told.answer = await call('ask', { question: 'Who keeps the last message for late subscribers?' },
    { onprogress: (step) => steps.push(step) });
}
told.steps = steps;
told.refused = await call('search_lessons', { query: 'late subscribers', limit: '2' });
told.resources = (await client.listResources()).resources;
told.templates = (await client.listResourceTemplates()).resourceTemplates;
told.resource = await client.readResource({ uri: told.resources[0].uri });
told.prompts = (await client.listPrompts()).prompts;
const lesson = told.resources[0].name;
told.prompt = await client.getPrompt({ name: 'explain_lesson', arguments: { lesson } });
told.completed = await client.complete({
  ref: { type: 'ref/prompt', name: 'explain_lesson' },
  argument: { name: 'lesson', value: lesson.slice(0, 8) },
});
told.unknown = await client.readResource({ uri: `${told.resources[0].uri}-gone` }).catch((error) => error.code);
await client.close();
console.log(JSON.stringify(told));
