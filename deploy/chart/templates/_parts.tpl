{{/* What several templates write alike. */}}
{{- define "ph.name" -}}
{{- printf "%s-%s" .Release.Name "pilothouse" | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "ph.labels" -}}
app.kubernetes.io/name: pilothouse
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .part }}
{{- end -}}

{{- define "ph.image" -}}
{{- printf "%s-%s:%s" (required "image.prefix is missing: the images are not published" .root.Values.image.prefix) .part (.root.Values.image.tag | default .root.Chart.AppVersion) -}}
{{- end -}}

{{- define "ph.secret" -}}
{{- required "secretName is missing: make a Secret, the chart holds none" .Values.secretName -}}
{{- end -}}

{{/* What holds for every pod. */}}
{{- define "ph.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.image.pullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "ph.spread" -}}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels: {{ include "ph.labels" . | nindent 8 }}
{{- end -}}

{{/* Of processes that need nothing of root. */}}
{{- define "ph.held" -}}
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
  seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "ph.probes" -}}
startupProbe:
  httpGet: { path: /ready, port: ops }
  periodSeconds: 1
  failureThreshold: 90
readinessProbe:
  httpGet: { path: /ready, port: ops }
  periodSeconds: 2
  timeoutSeconds: 3
  failureThreshold: 1
# Only whether it answers at all: a database that is away is no reason to end a process.
livenessProbe:
  tcpSocket: { port: ops }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
{{- end -}}

{{/* Settings as a list, those of the part over those of all. */}}
{{- define "ph.settings" -}}
{{- range $name, $value := merge (dict) .own .all }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end -}}

{{- define "ph.bus" -}}
- name: NATS_URL
  value: {{ required "nats.url is missing" .Values.nats.url | quote }}
- name: NATS_PASSWORD_FILE
  value: /run/secrets/pilothouse/nats-password
{{- if .Values.nats.authorityConfigMap }}
- name: NODE_EXTRA_CA_CERTS
  value: /run/authority/ca.crt
{{- end }}
{{- end -}}

{{- define "ph.blobs" -}}
{{- $blobs := .Values.blobs }}
{{- if $blobs.bucket }}
- name: BLOBS
  value: {{ $blobs.bucket | quote }}
{{- with $blobs.endpoint }}
- name: S3_ENDPOINT
  value: {{ . | quote }}
{{- end }}
{{- with $blobs.region }}
- name: S3_REGION
  value: {{ . | quote }}
{{- end }}
{{- if $blobs.accessKeyId }}
- name: S3_ACCESS_KEY_ID_FILE
  value: /run/secrets/pilothouse/s3-access-key-id
- name: S3_SECRET_ACCESS_KEY_FILE
  value: /run/secrets/pilothouse/s3-secret-access-key
{{- end }}
{{- else }}
- name: BLOB_DIR
  value: /var/lib/pilothouse/blobs
{{- end }}
{{- end -}}

{{/* Of server and agent: the files of the Secret that they need, and no others. */}}
{{- define "ph.secretItems" -}}
- { key: database-url, path: database-url }
- { key: profile-key, path: profile-key }
- { key: {{ .part }}, path: nats-password }
{{- with .root.Values.blobs }}
{{- if and .bucket .accessKeyId }}
- { key: {{ .accessKeyId }}, path: s3-access-key-id }
- { key: {{ .secretAccessKey }}, path: s3-secret-access-key }
{{- end }}
{{- end }}
{{- if eq .part "agent" }}
{{- range $name, $key := .root.Values.modelKeys }}
- { key: {{ $key }}, path: {{ $key }} }
{{- end }}
{{- end }}
{{- end -}}

{{- define "ph.volumes" -}}
- name: tmp
  emptyDir: { sizeLimit: 1Gi }
- name: secrets
  secret:
    secretName: {{ include "ph.secret" .root }}
    defaultMode: 0440
    items: {{ include "ph.secretItems" . | nindent 6 }}
{{- if not .root.Values.blobs.bucket }}
- name: blobs
  persistentVolumeClaim:
    claimName: {{ required "blobs.bucket or blobs.claimName is missing: all servers and agents share pictures and files" .root.Values.blobs.claimName }}
{{- end }}
{{- include "ph.authorityVolume" .root }}
{{- end -}}

{{- define "ph.mounts" -}}
- { name: tmp, mountPath: /tmp }
- { name: secrets, mountPath: /run/secrets/pilothouse, readOnly: true }
{{- if not .Values.blobs.bucket }}
- { name: blobs, mountPath: /var/lib/pilothouse/blobs }
{{- end }}
{{- include "ph.authorityMount" . }}
{{- end -}}

{{- define "ph.authorityVolume" -}}
{{- with .Values.nats.authorityConfigMap }}
- name: authority
  configMap: { name: {{ . }} }
{{- end }}
{{- end -}}
{{- define "ph.authorityMount" -}}
{{- if .Values.nats.authorityConfigMap }}
- { name: authority, mountPath: /run/authority, readOnly: true }
{{- end }}
{{- end -}}
