import { useMutation } from '@tanstack/preact-query';
import { getConfiguration, getReadiness } from '../api/oversight.ts';
import type { Service } from '../api/request.ts';
import { useConsole } from '../console.ts';
import { messages } from '../messages/messages.ts';
import { Command } from '../parts/command.tsx';
import { Facts } from '../parts/facts.tsx';
import { Fault } from '../parts/fault.tsx';
import { saveFile } from '../parts/save-file.ts';
import { Time } from '../parts/time.tsx';
import { useTitle } from '../parts/title.ts';
import { useAnswer } from '../parts/use-api.ts';
import { exportProject, exportRequests } from './export-project.ts';

const { settings: texts } = messages;

/** The configuration in force, and how both services are. */
export default function Settings() {
  useTitle(texts.title);
  return (
    <>
      <h1>{texts.title}</h1>
      <p class="quiet">{texts.text}</p>
      <ServiceSettings service="auth-server" />
      <ServiceSettings service="org-api" />
      <Registered />
    </>
  );
}

/** All that is registered, as a file. */
function Registered() {
  const { send, settings } = useConsole();
  const reading = useMutation({ mutationFn: () => exportProject(send, settings.realm) });
  const save = () => reading.mutate(undefined, { onSuccess: (text) => saveFile('gatehouse.json', text) });
  return (
    <section>
      <h2>{texts.registered}</h2>
      <p class="quiet">{texts.registeredText}</p>
      <Fault error={reading.error} />
      <button type="button" disabled={reading.isPending} onClick={save}>
        {messages.clients.integrate.download}
      </button>
      <Command requests={exportRequests} />
    </section>
  );
}

function ServiceSettings({ service }: { service: Service }) {
  const request = getConfiguration(service);
  const answer = useAnswer(request);
  const readiness = getReadiness(service);
  const health = useAnswer(readiness);
  const configuration = answer.data?.body;
  return (
    <section class="service">
      <h2>{service}</h2>
      <Fault error={answer.error} />
      {configuration && (
        <>
          <Facts
            facts={[
              [texts.health, health.data ? health.data.body.status : health.isError ? texts.unhealthy : ''],
              [texts.version, configuration.version],
              [texts.started, <Time key="started" at={configuration.startedAt} />],
              [texts.database, `${configuration.database.kind} ${configuration.database.version}`],
            ]}
          />
          <table class="list">
            <thead>
              <tr>
                {(['name', 'value', 'from'] as const).map((column) => (
                  <th scope="col" key={column}>
                    {texts.columns[column]}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {configuration.variables.map(({ name, value, from, secret }) => (
                <tr key={name}>
                  <th scope="row">
                    <code>{name}</code>
                  </th>
                  <td data-label={texts.columns.value} class="text">
                    {value ?? <span class="quiet">{secret && from !== 'default' ? texts.secret : texts.notSet}</span>}
                  </td>
                  <td data-label={texts.columns.from}>{texts.from[from]}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </>
      )}
      <Command requests={[request, readiness]} />
    </section>
  );
}
