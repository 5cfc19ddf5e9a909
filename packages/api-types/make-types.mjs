// Reads an OpenAPI document and writes its types. A program of its own: Jest cannot load openapi-typescript.
import { text } from 'node:stream/consumers';
import openapiTS, { astToString } from 'openapi-typescript';

/**
 * The type of members whose names are not known, such as `name#de`, must suit the others of an object too: only unknown does.
 * @this {Record<string, unknown>} the schema
 * @param {string} key
 * @param {unknown} value
 */
function widenOthers(key, value) {
  return key === 'additionalProperties' && this.properties && value ? true : value;
}

const document = JSON.parse(await text(process.stdin), widenOthers);
const types = astToString(await openapiTS(document));
process.stdout.write(`// Made by npm run docs:types of the service's /openapi.json.\n\n${types}`);
