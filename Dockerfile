# A server for one book or many: `docker build -t bookwise .`, then see docs/guides/serving.md.
FROM python:3.12-slim-bookworm AS build
WORKDIR /src
RUN python -P -m venv /opt/bookwise
COPY requirements-server.lock ./
RUN /opt/bookwise/bin/pip install --no-cache-dir --disable-pip-version-check --require-hashes -r requirements-server.lock
COPY pyproject.toml README.md LICENSE ./
COPY bookwise bookwise
COPY ingestion ingestion
COPY rag rag
RUN /opt/bookwise/bin/pip install --no-cache-dir --disable-pip-version-check --no-deps --no-build-isolation .

FROM python:3.12-slim-bookworm
# The book (bookwise.toml, lessons, and .bookwise/ with an embedded index) is mounted at /book, or copied into an image made from this one.
RUN useradd --uid 10001 --create-home bookwise && install -d -o bookwise -g bookwise /book /var/lib/bookwise
COPY --from=build /opt/bookwise /opt/bookwise
ENV PATH=/opt/bookwise/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1
USER 10001
WORKDIR /book
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 \
    CMD ["python", "-P", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8000/health', timeout=4)"]
ENTRYPOINT ["bookwise"]
CMD ["serve", "--host", "0.0.0.0"]
